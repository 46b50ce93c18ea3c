// Limits of one process among several: divided, or counted with the others.
import { describe, expect, it } from 'vitest';
import type { CountedAttempt } from '../../../src/auth/login.ts';
import { createSharedLimits, type SharedLimits } from '../../../src/setup/processes/shared-limits.ts';
import { createSharedCounts } from '../../deployment/limits/memory-counts.ts';

const RATE_LIMIT = { perClient: 4, perAddress: 6, windowSeconds: 60 };
const config = { auth: { rateLimit: RATE_LIMIT } } as Parameters<typeof createSharedLimits>[0];
const half = (limit: number) => limit / 2;

/** How many of ten attempts may be made that fail. */
async function failing({ failures }: SharedLimits, client: string): Promise<number> {
  let made = 0;
  for (let at = 0; at < 10; at += 1) {
    const begun: CountedAttempt | number = await failures.begin({ client, address: 'address' });
    if (typeof begun === 'number') continue;
    made += 1;
    await begun.end(true);
  }
  return made;
}

describe('limits of a process', () => {
  it('are its part of them where the processes share no cache that counts', async () => {
    const limits = createSharedLimits(config, { shareOf: half, shared: undefined, clock: () => 0 });
    const calls = [1, 2, 3].map(() => limits.countCall('endpoint:1.0/one', 4));
    expect(calls).toEqual([true, true, false]);
    expect([await failing(limits, 'one'), await failing(limits, 'another')]).toEqual([2, 1]);
  });

  it('are those of all processes where these count together', async () => {
    const { counts } = createSharedCounts();
    const reach = { isAway: () => false, leave: async () => undefined };
    const create = () =>
      createSharedLimits(config, { shareOf: half, shared: { counts, reach }, clock: () => 0 });
    const [first, second] = [create(), create()];
    expect([await failing(first, 'one'), await failing(second, 'another')]).toEqual([4, 2]);
    const calls = [first, second, first].map(({ countCall }) => countCall('endpoint:1.0/one', 2));
    expect((await Promise.all(calls)).filter((isWithin) => isWithin === true)).toHaveLength(2);
  });
});
