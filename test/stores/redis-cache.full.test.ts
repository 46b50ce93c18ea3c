import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedisCache } from '../../src/stores/redis-cache.ts';
import { describeCacheStore } from '../contracts/cache-store.ts';
import { hasRedis, type RedisServer, startRedis, withSlowClock } from '../helpers/store/redis-and-s3.ts';

let server: RedisServer;

const options = (url: string, maxEntryBytes = 100_000) => ({
  url,
  maxEntryBytes,
  timeoutMs: 10_000,
  now: Date.now,
  onError: () => undefined,
});

describe.runIf(hasRedis())('a cache in Redis', () => {
  beforeAll(async () => {
    server = await startRedis();
  });

  afterAll(() => server.dispose());

  const open = async (maxBytes: number) => {
    await server.command('FLUSHALL');
    const cache = await openRedisCache(options(server.url, maxBytes));
    await expect.poll(() => cache.set('ready', '1', 60_000).then(() => cache.get('ready'))).toBe('1');
    return {
      cache: withSlowClock(cache),
      advance: (milliseconds: number) => server.advance(milliseconds),
      dispose: () => cache.close(),
    };
  };

  describeCacheStore('Redis', open, { evicts: false });

  /** A cache that waits for its own server for 50 ms. `ask` asks it when a pause behind an earlier timeout is over. */
  const openImpatient = async () => {
    const own = await startRedis();
    let time = 0;
    const cache = await openRedisCache({ ...options(own.url), timeoutMs: 50, now: () => time });
    const ask = <T>(work: () => Promise<T>) => {
      time += 10_000;
      return work();
    };
    return { own, cache, ask };
  };

  it('clears its own keys and no others', async () => {
    const { cache, dispose } = await open(1000);
    await server.command('SET', 'neighbour', '1');
    await cache.set('a', '1', 60_000);
    await cache.clear();
    expect(await server.command('KEYS', '*')).toEqual(['neighbour']);
    await dispose();
  });

  it('finds nothing from before a clear that Redis did not hear of', async () => {
    const { own, cache, ask } = await openImpatient();
    await expect.poll(() => ask(() => cache.set('a', '1', 60_000).then(() => cache.get('a')))).toBe('1');
    await own.freeze();
    await cache.clear();
    own.thaw();
    await expect.poll(() => ask(() => cache.set('b', '1', 60_000).then(() => cache.get('b')))).toBe('1');
    expect(await cache.get('a')).toBeUndefined();
    await cache.close();
    await own.dispose();
  });

  it('answers in time while Redis does not, and caches again once it does', async () => {
    const { own, cache, ask } = await openImpatient();
    await expect.poll(() => ask(() => cache.set('a', '1', 60_000).then(() => cache.get('a')))).toBe('1');
    await own.freeze();
    expect(await ask(() => cache.get('a'))).toBeUndefined();
    own.thaw();
    await expect.poll(() => ask(() => cache.get('a'))).toBe('1');
    await cache.close();
    await own.dispose();
  });

  it('gives names marks that last until they are replaced, and are never the same again', async () => {
    const { cache, dispose } = await open(1000);
    const { marks } = cache;
    const first = await marks?.read(['a', 'b']);
    expect(new Set(first).size).toBe(2);
    expect(await marks?.read(['a', 'b'])).toEqual(first);
    expect(await marks?.replace(['a'])).toBe(true);
    const second = await marks?.read(['a', 'b']);
    expect(second).toEqual([expect.not.stringMatching(`^${first?.[0]}$`), first?.[1]]);
    // Entries go, marks stay; one that Redis lost is made anew.
    await cache.clear();
    expect(await marks?.read(['a', 'b'])).toEqual(second);
    await server.command('FLUSHALL');
    const third = await marks?.read(['a', 'b']);
    expect(new Set([...(first ?? []), ...(second ?? []), ...(third ?? [])]).size).toBe(5);
    await dispose();
  });

  it('knows no marks while Redis does not answer, and does not ask it for a second after that', async () => {
    const own = await startRedis();
    let time = 0;
    const cache = await openRedisCache({ ...options(own.url), timeoutMs: 50, now: () => time });
    const ask = () => cache.marks?.read(['a']);
    await expect.poll(ask).toHaveLength(1);
    await own.freeze();
    expect(await ask()).toBe(undefined);
    expect(await cache.marks?.replace(['a'])).toBe(false);
    own.thaw();
    expect([await ask(), cache.isReachable()]).toEqual([undefined, false]);
    time += 1000;
    await expect
      .poll(() => {
        time += 1000;
        return ask();
      })
      .toHaveLength(1);
    expect(cache.isReachable()).toBe(true);
    await cache.close();
    await own.dispose();
  });

  it('loses an entry that Redis has no room for, and keeps none that is over at once or too long', async () => {
    const { cache, dispose } = await open(1000);
    await server.command('CONFIG', 'SET', 'maxmemory', '1');
    await cache.set('full', '1', 60_000);
    await server.command('CONFIG', 'SET', 'maxmemory', '0');
    await cache.set('over', '1', 0);
    await cache.set('long', 'x'.repeat(1001), 60_000);
    await cache.set('pieces', ['one', ' two'], 60_000);
    const found = ['full', 'over', 'long', 'pieces'].map((key) => cache.get(key));
    expect(await Promise.all(found)).toEqual([undefined, undefined, undefined, 'one two']);
    await dispose();
  });

  it('connects again to a server that was restarted', async () => {
    const own = await startRedis();
    const failures: Error[] = [];
    const cache = await openRedisCache({ ...options(own.url), onError: (error) => failures.push(error) });
    await expect.poll(() => cache.set('a', '1', 60_000).then(() => cache.get('a'))).toBe('1');
    await own.restart();
    await expect.poll(() => cache.set('b', '2', 60_000).then(() => cache.get('b'))).toBe('2');
    expect(failures.length).toBeGreaterThan(0);
    await cache.close();
    await own.dispose();
  });
});

describe('a cache in a Redis that is away', () => {
  it('opens, finds nothing, keeps nothing, and closes', async () => {
    const failures: Error[] = [];
    const cache = await openRedisCache({
      ...options('redis://127.0.0.1:1'),
      onError: (error) => failures.push(error),
    });
    await cache.set('a', '1', 1000);
    expect(await cache.get('a')).toBeUndefined();
    expect(cache.isReachable()).toBe(false);
    await cache.clear();
    await expect.poll(() => failures.length).toBeGreaterThan(0);
    await cache.close();
  });
});
