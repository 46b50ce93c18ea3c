// Failed attempts that several processes count together, on a cache that can go away.
import { describe, expect, it } from 'vitest';
import type { BeginAttempt } from '../../../src/deployment/limits/shared-attempts.ts';
import { createSharedCounts } from './memory-counts.ts';

const LIMITS = [
  { key: 'client', limit: 4 },
  { key: 'address', limit: 6 },
];

/** Makes an attempt; the milliseconds to wait where it may not be made, else undefined. */
async function attempt(
  begin: BeginAttempt,
  hasFailed: boolean,
  limits = LIMITS,
): Promise<number | undefined> {
  const begun = await begin(limits);
  if (typeof begun === 'number') return begun;
  begun.end(hasFailed);
  return undefined;
}

/** How many of so many failing attempts, one after the other, may be made. */
async function failing(begin: BeginAttempt, attempts: number, limits = LIMITS): Promise<number> {
  let made = 0;
  for (let at = 0; at < attempts; at += 1) if ((await attempt(begin, true, limits)) === undefined) made += 1;
  return made;
}

describe('attempts that processes count together', () => {
  it('may all fail at one process, and then none succeeds anywhere', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await failing(first.begin, 10)).toBe(4);
    shared.advance(10_000);
    expect(await attempt(second.begin, false)).toBe(50_000);
    const questions = shared.asked.length;
    expect([await attempt(first.begin, false), await attempt(second.begin, false)]).toEqual([50_000, 50_000]);
    // Both know that it is full.
    expect(shared.asked).toHaveLength(questions);
    shared.advance(50_000);
    expect(await attempt(second.begin, false)).toBe(undefined);
  });

  it('fail as often as the first of their limits allows, in sum', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    const another = [
      { key: 'another client', limit: 4 },
      { key: 'address', limit: 6 },
    ];
    expect(await failing(first.begin, 3)).toBe(3);
    expect(await failing(second.begin, 9, another)).toBe(3);
    expect(await failing(first.begin, 9)).toBe(0);
  });

  it('count for nothing where they succeed', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await failing(first.begin, 3)).toBe(3);
    for (let round = 0; round < 10; round += 1) {
      expect(await attempt(round % 2 === 0 ? first.begin : second.begin, false)).toBe(undefined);
    }
    expect(await failing(second.begin, 3)).toBe(1);
  });

  it('wait for those under way elsewhere that may take up the last place', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await failing(first.begin, 3)).toBe(3);
    const last = await first.begin(LIMITS);
    const waiting = attempt(second.begin, false);
    await expect.poll(() => shared.asked.length).toBeGreaterThan(6);
    if (typeof last !== 'number') last.end(false);
    expect(await waiting).toBe(undefined);
  });

  it('are refused for a second where one under way does not end', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await failing(first.begin, 3)).toBe(3);
    await first.begin(LIMITS);
    const waiting = attempt(second.begin, false);
    await expect.poll(() => shared.asked.length).toBeGreaterThan(5);
    shared.advance(2000);
    expect(await waiting).toBe(1000);
  });
});

describe('attempts that processes count while the cache is away', () => {
  it('are divided, and told to it when it comes back', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    shared.setAway(true);
    expect(await attempt(first.begin, false)).toBe(undefined);
    expect(await failing(first.begin, 9)).toBe(2);
    expect(await attempt(first.begin, false)).toBe(60_000);
    expect(first.left).toEqual(['left']);
    shared.setAway(false);
    first.comeBack();
    expect(await failing(first.begin, 1)).toBe(1);
    expect(await failing(second.begin, 9)).toBe(1);
  });

  it('are counted by the cache no more than once, if it went while they were under way', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    const begun = await first.begin(LIMITS);
    shared.setAway(true);
    if (typeof begun !== 'number') begun.end(true);
    shared.setAway(false);
    expect(await failing(second.begin, 3)).toBe(3);
    // It was never told how the first one ended, so that it may still be given back.
    const waiting = attempt(second.begin, true);
    await expect.poll(() => shared.asked.length).toBeGreaterThan(5);
    shared.advance(2000);
    expect(await waiting).toBe(1000);
  });
});
