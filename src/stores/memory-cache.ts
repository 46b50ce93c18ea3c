// Response cache in memory: LRU, limited in bytes.
import { LRUCache } from 'lru-cache';
import { type ChunkedText, textLength } from '../lib/chunked-text.ts';
import type { CacheStore } from './ports.ts';

const BYTES_PER_CHARACTER = 2;

interface MemoryCacheOptions {
  /** Limit of all entries, at two bytes per character. */
  readonly maxBytes: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Creates an empty cache. */
export function createMemoryCache({ maxBytes, now }: MemoryCacheOptions): CacheStore {
  const entries = new LRUCache<string, { readonly value: ChunkedText; readonly expiresAt: number }>({
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => (textLength(value) + key.length + 1) * BYTES_PER_CHARACTER,
  });
  return {
    async get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      if (now() < entry.expiresAt) return entry.value;
      entries.delete(key);
      return undefined;
    },
    async set(key, value, ttl) {
      entries.set(key, { value, expiresAt: now() + ttl });
    },
    async clear() {
      entries.clear();
    },
    isReachable: () => true,
    async close() {
      entries.clear();
    },
  };
}
