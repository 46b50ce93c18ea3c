import { describe, expect, it } from 'vitest';
import {
  evaluateAttempt,
  layersThatHeld,
  NATIVE_ATTEMPTS,
  NODE_ATTEMPTS,
} from '../../../src/sandbox-supervisor/isolation/self-test-attempts.ts';

describe('the verdict on an attempt', () => {
  it('is that the wall held when nothing was got', () => {
    expect(evaluateAttempt('read', '', { permissions: true })).toEqual({
      item: { attempt: 'read a file', held: true, detail: 'refused' },
      broken: false,
      stoppedBy: ['permissions'],
    });
  });

  it('is a failure when a wall was said to stop it', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { selfLock: true });
    expect([item.held, item.detail, broken]).toEqual([false, 'it was done', true]);
  });

  it('is said openly, and is no failure, where there is no such wall', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { permissions: true });
    expect([item.held, broken]).toEqual([false, false]);
    expect(item.detail).toBe('it was done; no wall of this level is against it');
  });

  it('is a failure when what must always hold was not tried', () => {
    expect(evaluateAttempt('guest-loop', undefined, {}).broken).toBe(true);
  });

  it('is never that something unknown is harmless', () => {
    expect(evaluateAttempt('something new', 'it was done', {}).broken).toBe(true);
    expect(evaluateAttempt('__proto__', 'it was done', {}).broken).toBe(true);
  });

  it('asks of a just-in-time compiler nothing that it cannot do without', () => {
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: true }).broken,
    ).toBe(true);
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: false }).broken,
    ).toBe(false);
  });

  it('takes a wall that let something through for none, and all where that is promised without walls', () => {
    const walls = { selfLock: true, permissions: true, limits: true };
    const held = evaluateAttempt('read', '', walls);
    expect(layersThatHeld(walls, [held])).toEqual(walls);
    const broken = evaluateAttempt('native-read', 'it was done', walls);
    expect(layersThatHeld(walls, [held, broken])).toEqual({ ...walls, selfLock: false });
    expect(layersThatHeld(walls, [held, evaluateAttempt('guest-loop', 'it ran on', walls)])).toEqual({});
  });

  it('has words of its own for each attempt', () => {
    const words = [...NODE_ATTEMPTS, ...NATIVE_ATTEMPTS].map(
      (name) => evaluateAttempt(name, '', {}).item.attempt,
    );
    expect(new Set(words).size).toBe(words.length);
    expect(words.length).toBeGreaterThan(25);
  });
});
