// What was looked up in caches: responses, lookups about visitors, and variants of images.
import type { CacheStore } from '../stores/ports.ts';
import { Counters, type Series } from './metric.ts';

/** The caches and what may come of looking into each. `bypass`: the request asked for a fresh answer. */
const RESULTS = {
  responses: ['hit', 'miss', 'bypass'],
  lookups: ['hit', 'miss'],
  variants: ['hit', 'miss'],
} as const;

type CacheName = keyof typeof RESULTS;
export type CacheResult = (typeof RESULTS)[CacheName][number];

/** Each is there from the begin, so that a rate can be computed of it. */
function createCounters(results: readonly string[]): Counters<string> {
  const counters = new Counters<string>();
  for (const result of results) counters.add(result, 0);
  return counters;
}

export class CacheCounts {
  readonly #caches: ReadonlyMap<string, Counters<string>> = new Map(
    Object.entries(RESULTS).map(([cache, results]) => [cache, createCounters(results)]),
  );

  record(cache: CacheName, result: CacheResult): void {
    this.#caches.get(cache)?.add(result);
  }

  /** The same cache, whose lookups are counted from now on. */
  around(store: CacheStore, name: CacheName): CacheStore {
    return {
      get: async (key) => {
        const found = await store.get(key);
        this.record(name, found === undefined ? 'miss' : 'hit');
        return found;
      },
      set: (key, value, ttl) => store.set(key, value, ttl),
      clear: () => store.clear(),
      isReachable: () => store.isReachable(),
      close: () => store.close(),
    };
  }

  /** How often something was there, and how often not. */
  lookups(cache: CacheName): { readonly hits: number; readonly misses: number } {
    const counters = this.#caches.get(cache);
    return { hits: counters?.valueOf('hit') ?? 0, misses: counters?.valueOf('miss') ?? 0 };
  }

  readTotals(): readonly Series[] {
    return [...this.#caches].flatMap(([cache, counters]) => counters.read((result) => ({ cache, result })));
  }
}
