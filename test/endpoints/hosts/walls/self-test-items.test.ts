import { describe, expect, it } from 'vitest';
import {
  BY_NODE,
  judge,
  NATIVE,
  wallsThatHeld,
} from '../../../../src/endpoints/hosts/walls/self-test-items.ts';

describe('the verdict on an attempt', () => {
  it('is that the wall held when nothing was got', () => {
    expect(judge('read', '', { permissions: true })).toEqual({
      item: { attempt: 'read a file', held: true, detail: 'refused' },
      broken: false,
      stoppedBy: ['permissions'],
    });
  });

  it('is a failure when a wall was said to stop it', () => {
    const { item, broken } = judge('native-read', 'it was done', { selfLock: true });
    expect([item.held, item.detail, broken]).toEqual([false, 'it was done', true]);
  });

  it('is said openly, and is no failure, where there is no such wall', () => {
    const { item, broken } = judge('native-read', 'it was done', { permissions: true });
    expect([item.held, broken]).toEqual([false, false]);
    expect(item.detail).toBe('it was done; no wall of this level is against it');
  });

  it('is a failure when what must always hold was not tried', () => {
    expect(judge('guest-loop', undefined, {}).broken).toBe(true);
  });

  it('is never that something unknown is harmless', () => {
    expect(judge('something new', 'it was done', {}).broken).toBe(true);
    expect(judge('__proto__', 'it was done', {}).broken).toBe(true);
  });

  it('asks of a just-in-time compiler nothing that it cannot do without', () => {
    expect(judge('native-executable', 'it was done', { selfLock: true, jitless: true }).broken).toBe(true);
    expect(judge('native-executable', 'it was done', { selfLock: true, jitless: false }).broken).toBe(false);
  });

  it('takes a wall that let something through for none, and all where that is promised without walls', () => {
    const walls = { selfLock: true, permissions: true, limits: true };
    const held = judge('read', '', walls);
    expect(wallsThatHeld(walls, [held])).toEqual(walls);
    const broken = judge('native-read', 'it was done', walls);
    expect(wallsThatHeld(walls, [held, broken])).toEqual({ ...walls, selfLock: false });
    expect(wallsThatHeld(walls, [held, judge('guest-loop', 'it ran on', walls)])).toEqual({});
  });

  it('has words of its own for each attempt', () => {
    const words = [...BY_NODE, ...NATIVE].map((name) => judge(name, '', {}).item.attempt);
    expect(new Set(words).size).toBe(words.length);
    expect(words.length).toBeGreaterThan(25);
  });
});
