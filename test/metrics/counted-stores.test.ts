// Stores and caches whose calls are counted do what they did before, and are counted by what became of each call.
import { describe, expect, it } from 'vitest';
import { CacheCounts } from '../../src/metrics/cache-counts.ts';
import { ImageCounts } from '../../src/metrics/image-counts.ts';
import { Counters, type Histogram } from '../../src/metrics/metric.ts';
import { ModuleUsage } from '../../src/metrics/module-usage.ts';
import { StoreCounts } from '../../src/metrics/store-counts.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import { createMemoryCache } from '../../src/stores/memory-cache.ts';
import { openFailingStore } from '../helpers/store/temporary-store.ts';
import { createModuleVersion } from '../modules/module-versions.ts';

const BOOKS = { database: null, collection: 'books' };
const QUERY = { filter: MATCH_ALL, sort: [], skip: 0, limit: 10 } as const;
const ID = 'a'.repeat(24);

describe('a counted store', () => {
  it('does what the store does, and counts every operation', async () => {
    let time = 0;
    const counts = new StoreCounts(() => {
      time += 1;
      return time;
    });
    const store = counts.around(await openFailingStore());
    const heard: unknown[] = [];
    store.onCommit((writes) => void heard.push(writes));
    await store.ensureIndexes(BOOKS, []);
    await store.commit([{ kind: 'insert', ns: BOOKS, document: { _id: ID, v: 1 } }], {});
    expect(heard).toHaveLength(1);
    expect(await store.find(BOOKS, QUERY, {})).toEqual([{ _id: ID, v: 1 }]);
    expect(await store.findByIds(BOOKS, [ID], {})).toHaveLength(1);
    expect(await store.count(BOOKS, MATCH_ALL, {})).toBe(1);
    expect(await store.collections()).not.toEqual([]);
    await store.stats(BOOKS, {});
    await store.health();
    expect(await store.status()).toBeTypeOf('object');
    const totals = Object.fromEntries(
      counts.readTotals().map(({ labels, value }) => [`${labels['operation']} ${labels['outcome']}`, value]),
    );
    expect(totals).toEqual({
      'ensure_indexes ok': 1,
      'commit ok': 1,
      'find ok': 1,
      'find_by_ids ok': 1,
      'count ok': 1,
      'collections ok': 1,
      'stats ok': 1,
      'health ok': 1,
    });
    const durations = counts.readDurations().map(({ value }) => (value as Histogram).count);
    expect(durations).toEqual(durations.map(() => 1));
    await store.close();
  });

  it('counts failures by their reason, and faults as errors', async () => {
    const failing = await openFailingStore();
    const counts = new StoreCounts(() => 0);
    const store = counts.around({ ...failing, count: async () => Promise.reject(new TypeError('a fault')) });
    failing.fail('timeout');
    await expect(async () => store.find(BOOKS, QUERY, {})).rejects.toMatchObject({ reason: 'timeout' });
    await expect(async () => store.count(BOOKS, MATCH_ALL, {})).rejects.toThrow('a fault');
    expect(counts.readTotals()).toEqual([
      { labels: { operation: 'find', outcome: 'timeout' }, value: 1 },
      { labels: { operation: 'count', outcome: 'error' }, value: 1 },
    ]);
  });
});

describe('a counted cache', () => {
  it('does what the cache does, and counts what was there and what was not', async () => {
    const counts = new CacheCounts();
    const cache = counts.around(createMemoryCache({ maxBytes: 1000, now: () => 0 }), 'lookups');
    expect(await cache.get('a')).toBe(undefined);
    await cache.set('a', 'text', 1000);
    expect(await cache.get('a')).toBe('text');
    expect(cache.isReachable()).toBe(true);
    await cache.clear();
    expect(await cache.get('a')).toBe(undefined);
    expect(counts.lookups('lookups')).toEqual({ hits: 1, misses: 2 });
    expect(counts.lookups('responses')).toEqual({ hits: 0, misses: 0 });
    expect(counts.readTotals()).toContainEqual({ labels: { cache: 'lookups', result: 'hit' }, value: 1 });
    await cache.close();
  });
});

describe('numbers that are counted', () => {
  it('are zero before anything was', () => {
    const counters = new Counters<string>();
    expect([counters.size, counters.valueOf('none')]).toEqual([0, 0]);
    const images = new ImageCounts(new CacheCounts());
    expect(images.queue()).toBe(undefined);
    expect(images.readQueue()).toEqual([{ labels: {}, value: 0 }]);
    images.watch({ waiting: () => 2, running: () => 1 });
    expect(images.queue()).toEqual({ waiting: 2, running: 1 });
    images.onRendered(20_000);
    const durations = images.readDurations()[0]?.value as Histogram;
    // Longer than the longest bound: in none of the buckets, and counted.
    expect([durations.count, durations.sum, durations.cumulative.at(-1)]).toEqual([1, 20, 0]);
  });

  it('of code whose process cannot be started are none', async () => {
    const usage = new ModuleUsage(() => 0);
    const { invoke } = usage.around({ invoke: () => Promise.reject(new Error('no process')) });
    const moduleVersion = createModuleVersion('endpoint:1.0/report');
    await expect(invoke({ moduleVersion } as Parameters<typeof invoke>[0])).rejects.toThrow('no process');
    expect(usage.report('endpoint:1.0/report').calls).toBe(0);
  });
});
