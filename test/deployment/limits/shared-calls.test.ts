// Calls of a minute that several processes count together, on a cache that can go away and lose what it has counted.
import { describe, expect, it } from 'vitest';
import type { CountCall } from '../../../src/deployment/coordination.ts';
import { createDividedCalls } from '../../../src/deployment/limits/shared-calls.ts';
import { createSharedCounts } from './memory-counts.ts';

const LIMIT = 10;

/** How many of so many calls are within the limit. */
async function within(count: CountCall, calls: number, limit = LIMIT): Promise<number> {
  const answers = Array.from({ length: calls }, () => count('a', limit));
  return (await Promise.all(answers)).filter((isWithin) => isWithin).length;
}

describe('calls that processes count together', () => {
  it('may all be made at one process', async () => {
    const { count } = createSharedCounts().join();
    expect(await within(count, 25)).toBe(LIMIT);
  });

  it('are never more than the limit, however they are spread', async () => {
    const shared = createSharedCounts();
    const processes = [shared.join(3), shared.join(3), shared.join(3)];
    let made = 0;
    for (let round = 0; round < 5; round += 1) {
      const counts = await Promise.all(processes.map(({ count }) => within(count, 1)));
      made += counts.reduce((sum, one) => sum + one, 0);
    }
    expect(made).toBe(LIMIT);
  });

  it('cost one question at a time, for all that wait, and none once the minute is full', async () => {
    const shared = createSharedCounts();
    const { count } = shared.join();
    await within(count, 8);
    expect(shared.asked).toEqual([1, 7]);
    await within(count, 8);
    expect(shared.asked).toEqual([1, 7, 1, 7]);
    expect(count('a', LIMIT)).toBe(false);
    expect(await within(count, 100)).toBe(0);
    expect(shared.asked).toHaveLength(4);
    // One process knows of it only once it has asked.
    expect(await within(shared.join().count, 1)).toBe(0);
  });

  it('are counted anew when the minute is over, and for each key', async () => {
    const shared = createSharedCounts();
    const { count } = shared.join();
    expect(await within(count, 11)).toBe(LIMIT);
    expect(await count('b', 1)).toBe(true);
    shared.advance(59_999);
    expect(await within(count, 1)).toBe(0);
    shared.advance(1);
    expect(await within(count, 11)).toBe(LIMIT);
  });

  it('follow a limit that is raised or lowered within the minute', async () => {
    const { count } = createSharedCounts().join();
    expect(await within(count, 11)).toBe(LIMIT);
    expect(await within(count, 11, 15)).toBe(5);
    expect(await within(count, 1, 12)).toBe(0);
  });
});

describe('calls that one process counts', () => {
  /** What becomes of calls with a limit of `perMinute`, made at these times. */
  const outcomes = (perMinute: number, times: readonly number[], shareOf = (limit: number) => limit) => {
    let time = 0;
    const count = createDividedCalls({ shareOf, clock: () => time });
    return times.map((at) => {
      time = at;
      return count('a', perMinute);
    });
  };

  it('are so many in the minute that begins with the first of them', () => {
    const times = [500, 501, 502, 60_499, 60_500, 60_501, 60_502];
    expect(outcomes(2, times)).toEqual([true, true, false, false, true, true, false]);
  });

  it('are its part of the limit', () => {
    expect(outcomes(4, [0, 1, 2], (limit) => limit / 2)).toEqual([true, true, false]);
  });

  it('are counted for each module', () => {
    const count = createDividedCalls({ shareOf: (limit) => limit, clock: () => 0 });
    expect([count('a', 1), count('a', 1), count('b', 1)]).toEqual([true, false, true]);
  });
});

describe('calls that processes count while the cache is away', () => {
  it('are divided, each process counting what it had before', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await within(first.count, 2)).toBe(2);
    shared.setAway(true);
    expect(await within(first.count, 10)).toBe(3);
    expect(await within(second.count, 10)).toBe(5);
    expect([first.left, second.left]).toEqual([['left'], ['left']]);
    // At once: nobody waits for a cache that is known to be away.
    expect(first.count('a', LIMIT)).toBe(false);
  });

  it('are refused by a process that had taken more than its part, and open to none that saw the minute full', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await within(first.count, 7)).toBe(7);
    expect(await within(second.count, 4)).toBe(3);
    shared.setAway(true);
    second.left.push('left');
    expect([await within(first.count, 1), await within(second.count, 1)]).toEqual([0, 0]);
  });

  it('are told to the cache when it comes back', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await within(first.count, 2)).toBe(2);
    shared.setAway(true);
    expect(await within(first.count, 2)).toBe(2);
    shared.setAway(false);
    first.comeBack();
    expect(await within(first.count, 1)).toBe(1);
    expect(await within(second.count, 10)).toBe(5);
  });

  it('count also where the cache has lost everything', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect([await within(first.count, 3), await within(second.count, 3)]).toEqual([3, 3]);
    shared.lose();
    expect(await within(first.count, 1)).toBe(1);
    expect(await within(second.count, 10)).toBe(3);
    expect(await within(first.count, 1)).toBe(0);
  });

  it('are less than twice the limit in the minute in which it goes', async () => {
    const shared = createSharedCounts();
    const [first, second] = [shared.join(), shared.join()];
    expect(await within(first.count, 20)).toBe(LIMIT);
    shared.setAway(true);
    expect(await within(second.count, 20)).toBe(LIMIT / 2);
    shared.advance(60_000);
    first.left.push('left');
    expect([await within(first.count, 20), await within(second.count, 20)]).toEqual([5, 5]);
  });
});
