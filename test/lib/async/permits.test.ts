// Permits that are waited for.
import { describe, expect, it } from 'vitest';
import { Permits } from '../../../src/lib/async/permits.ts';

const FULL = new Error('full');
const HOUR_MS = 3_600_000;
const permitsOf = (options: { permits: number; maxWaiting?: number; maxWaitMs?: number }) =>
  new Permits({ maxWaitMs: HOUR_MS, ...options, createError: () => FULL });

describe('permits', () => {
  it('go to those who wait, in their order', async () => {
    const permits = permitsOf({ permits: 2 });
    const got: number[] = [];
    const all = Array.from({ length: 5 }, async (_, at) => {
      await permits.acquire();
      got.push(at);
    });
    await all[1];
    expect(got).toEqual([0, 1]);
    for (const next of [2, 3, 4]) {
      permits.release();
      await all[next];
      expect(got.at(-1)).toBe(next);
    }
  });

  it('are not waited for by more than may wait', async () => {
    const permits = permitsOf({ permits: 1, maxWaiting: 1 });
    await permits.acquire();
    const second = permits.acquire();
    await expect(permits.acquire()).rejects.toBe(FULL);
    permits.release();
    await second;
  });

  it('are not waited for longer than allowed, and none is lost by those who gave up', async () => {
    const permits = permitsOf({ permits: 1, maxWaitMs: 1 });
    await permits.acquire();
    const late = await Promise.allSettled([permits.acquire(), permits.acquire()]);
    expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    permits.release();
    await permits.acquire();
  });

  it('are taken several at a time, and nobody who needs fewer overtakes who came before', async () => {
    const permits = permitsOf({ permits: 10 });
    await permits.acquire(6);
    const order: string[] = [];
    const second = permits.acquire(6)?.then(() => order.push('second'));
    const third = permits.acquire(1)?.then(() => order.push('third'));
    await Promise.resolve();
    expect(order).toEqual([]);
    permits.release(6);
    await Promise.all([second, third]);
    expect(order).toEqual(['second', 'third']);
    expect(permits.acquire(3)).toBeUndefined();
  });

  it('are no longer waited for once the signal is aborted, and those behind go on', async () => {
    const permits = permitsOf({ permits: 2 });
    await permits.acquire(1);
    const caller = new AbortController();
    const large = permits.acquire(2, caller.signal);
    const small = permits.acquire(1);
    caller.abort(FULL);
    await expect(large).rejects.toBe(FULL);
    await small;
    await expect(permits.acquire(1, caller.signal)).rejects.toBe(FULL);
  });
});
