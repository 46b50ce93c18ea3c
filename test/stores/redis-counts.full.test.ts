// Limits that are counted in a real Redis: what is granted, told, held and given back, and what happens when Redis is away.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { CountedLimit, SharedCounts } from '../../src/stores/ports.ts';
import { openRedisCache } from '../../src/stores/redis-cache.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/store/redis-and-s3.ts';

const WINDOW_MS = 3_600_000;

const limitOf = (key: string, limit: number, known: Partial<CountedLimit> = {}): CountedLimit => {
  return { key, limit, window: '', own: 0, unheard: 0, ...known };
};

let server: RedisServer;

async function openCounts(url: string, timeoutMs = 10_000): Promise<SharedCounts> {
  const options = { url, maxEntryBytes: 1000, timeoutMs, now: Date.now, onError: () => undefined };
  const cache = await openRedisCache(options);
  onTestFinished(() => cache.close());
  return cache.counts as SharedCounts;
}

const take = async (counts: SharedCounts, limits: readonly CountedLimit[], wanted = 1, isHeld = false) => {
  const answer = await counts.take(limits, { wanted, windowMs: WINDOW_MS, isHeld });
  return { granted: answer?.granted, windows: answer?.windows ?? [] };
};

describe.runIf(hasRedis())('counts in Redis', () => {
  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.dispose());

  const open = async () => {
    await server.command('FLUSHALL');
    return openCounts(server.url);
  };

  it('grant no more than is left, to whomever asks, in one window', async () => {
    const counts = await open();
    const other = await openCounts(server.url);
    const first = await take(counts, [limitOf('a', 10)], 4);
    expect(first).toMatchObject({ granted: 4, windows: [{ used: 4, held: 0 }] });
    const second = await take(other, [limitOf('a', 10)], 8);
    expect(second).toMatchObject({ granted: 6, windows: [{ used: 10, window: first.windows[0]?.window }] });
    expect(await take(counts, [limitOf('a', 10)])).toMatchObject({ granted: 0 });
    const left = second.windows[0]?.endsInMs ?? 0;
    expect(left > 0 && left <= WINDOW_MS).toBe(true);
    const keys = (await server.command('KEYS', '*')) as string[];
    expect(keys).toEqual([expect.stringMatching(/^cloister:count:[\w-]{43}$/)]);
    expect(await server.command('PTTL', keys[0] ?? '')).toBeGreaterThan(0);
  });

  it('are exact when many ask at once', async () => {
    const all = await Promise.all([open(), openCounts(server.url), openCounts(server.url)]);
    const asked = Array.from({ length: 300 }, (_, at) =>
      take(all[at % 3] as SharedCounts, [limitOf('a', 100)]),
    );
    const granted = (await Promise.all(asked)).reduce((sum, one) => sum + (one.granted ?? 0), 0);
    expect(granted).toBe(100);
  });

  it('grant of several limits what the smallest rest allows, and take that of each', async () => {
    const counts = await open();
    await take(counts, [limitOf('a', 10)], 8);
    const both = await take(counts, [limitOf('a', 10), limitOf('b', 10)], 5);
    expect(both).toMatchObject({ granted: 2, windows: [{ used: 10 }, { used: 2 }] });
  });

  it('add what a process took without them: all of it where they have lost its window', async () => {
    const counts = await open();
    const { windows } = await take(counts, [limitOf('a', 10)], 2);
    const { window = '' } = windows[0] ?? {};
    const known = { window, own: 5, unheard: 3 };
    expect(await take(counts, [limitOf('a', 10, known)])).toMatchObject({
      granted: 1,
      windows: [{ used: 6, window }],
    });
    await server.command('FLUSHALL');
    const again = await take(counts, [limitOf('a', 10, { window, own: 6 })]);
    expect(again).toMatchObject({ granted: 1, windows: [{ used: 7 }] });
    expect(again.windows[0]?.window).not.toBe(window);
  });

  it('hold what may be given back, and end a window that is empty again', async () => {
    const counts = await open();
    const limits = [limitOf('a', 2), limitOf('b', 9)];
    const taken = await take(counts, limits, 1, true);
    expect(taken).toMatchObject({
      granted: 1,
      windows: [
        { used: 1, held: 1 },
        { used: 1, held: 1 },
      ],
    });
    const held = limits.map(({ key }, at) => ({ key, window: taken.windows[at]?.window ?? '' }));
    await counts.settle(
      held.map(({ key }) => ({ key, window: 'of another time' })),
      true,
    );
    expect((await take(counts, limits, 1, true)).windows[0]).toMatchObject({ used: 2, held: 2 });
    await counts.settle(held, false);
    expect((await take(counts, limits)).windows[0]).toMatchObject({ used: 2, held: 1 });
    await counts.settle(held, true);
    expect((await take(counts, limits, 0)).windows[0]).toMatchObject({ used: 1, held: 0 });
    await counts.settle(held, true);
    expect(await server.command('KEYS', '*')).toEqual([]);
  });

  it('are not given to a user of Redis who may not run scripts', async () => {
    const counts = await open();
    await server.command('ACL', 'SETUSER', 'default', '-@scripting');
    onTestFinished(async () => void (await server.command('ACL', 'SETUSER', 'default', '+@all')));
    expect(await take(counts, [limitOf('a', 1)])).toEqual({ granted: undefined, windows: [] });
  });

  it('begin anew when the window has ended', async () => {
    const counts = await open();
    await take(counts, [limitOf('a', 1)]);
    await server.command('PEXPIRE', ((await server.command('KEYS', '*')) as string[])[0] ?? '', '0');
    expect(await take(counts, [limitOf('a', 1)])).toMatchObject({ granted: 1 });
  });

  it('answer nothing where Redis has no room, hangs or is away, and go on afterwards', async () => {
    const own = await startRedis();
    onTestFinished(() => own.dispose());
    let time = 0;
    const options = { url: own.url, maxEntryBytes: 1000, timeoutMs: 100, onError: () => undefined };
    const { counts, close } = await openRedisCache({ ...options, now: () => time });
    onTestFinished(close);
    const granted = async () => {
      time += 10_000;
      return (await take(counts as SharedCounts, [limitOf('a', 1_000_000)])).granted;
    };
    await expect.poll(granted).toBe(1);
    await own.command('CONFIG', 'SET', 'maxmemory', '1');
    expect(await granted()).toBe(undefined);
    await own.command('CONFIG', 'SET', 'maxmemory', '0');
    await own.freeze();
    expect(await granted()).toBe(undefined);
    await counts?.settle([{ key: 'a', window: 'w' }], true);
    own.thaw();
    await expect.poll(granted).toBe(1);
    await own.restart();
    await expect.poll(granted).toBe(1);
  });
});
