import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRedisCache } from '../../src/stores/redis-cache.ts';
import { describeCacheStore } from '../contracts/cache-store.ts';
import { hasRedis, type RedisServer, startRedis } from '../helpers/store/redis-and-s3.ts';

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
      cache,
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
