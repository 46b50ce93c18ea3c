import { describe, expect, it } from 'vitest';
import {
  evaluateAttempt,
  layersThatHeld,
  NATIVE_ATTEMPTS,
  NODE_ATTEMPTS,
} from '../../../src/sandbox-supervisor/isolation/self-test-attempts.ts';

describe('the result of a self-test attempt', () => {
  it('is held when it got nothing', () => {
    expect(evaluateAttempt('read', '', { permissions: true })).toEqual({
      item: { attempt: 'read a file', held: true, detail: 'refused' },
      broken: false,
      stoppedBy: ['permissions'],
    });
  });

  it('is broken when an active layer should have stopped it', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { selfLock: true });
    expect([item.held, item.detail, broken]).toEqual([false, 'it was done', true]);
  });

  it('is not held, but not broken, where no layer stops it', () => {
    const { item, broken } = evaluateAttempt('native-read', 'it was done', { permissions: true });
    expect([item.held, broken]).toEqual([false, false]);
    expect(item.detail).toBe('it was done; no wall of this level is against it');
  });

  it('is broken when an attempt was not made that every host stops', () => {
    expect(evaluateAttempt('guest-loop', undefined, {}).broken).toBe(true);
  });

  it('is broken for an unknown attempt that succeeded', () => {
    expect(evaluateAttempt('something new', 'it was done', {}).broken).toBe(true);
    expect(evaluateAttempt('__proto__', 'it was done', {}).broken).toBe(true);
  });

  it('is not broken by what the just-in-time compiler needs', () => {
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: true }).broken,
    ).toBe(true);
    expect(
      evaluateAttempt('native-executable', 'it was done', { selfLock: true, jitless: false }).broken,
    ).toBe(false);
  });

  it('disproves the layers that should have stopped it, or all where every host should have', () => {
    const walls = { selfLock: true, permissions: true, limits: true };
    const held = evaluateAttempt('read', '', walls);
    expect(layersThatHeld(walls, [held])).toEqual(walls);
    const broken = evaluateAttempt('native-read', 'it was done', walls);
    expect(layersThatHeld(walls, [held, broken])).toEqual({ ...walls, selfLock: false });
    expect(layersThatHeld(walls, [held, evaluateAttempt('guest-loop', 'it ran on', walls)])).toEqual({});
  });

  it('has a description for each attempt', () => {
    const words = [...NODE_ATTEMPTS, ...NATIVE_ATTEMPTS].map(
      (name) => evaluateAttempt(name, '', {}).item.attempt,
    );
    expect(new Set(words).size).toBe(words.length);
    expect(words.length).toBeGreaterThan(25);
  });
});
