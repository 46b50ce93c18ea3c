// Cache of counts by filter. An entry is valid until the next write to its collection.
import { LRUCache } from 'lru-cache';
import { createTextKeys } from '../../lib/text-keys.ts';
import type { Filter } from '../filter.ts';
import type { CollectionEntry } from './data-file/catalogue.ts';

export interface CountCache {
  get(entry: CollectionEntry, filter: Filter): number | undefined;
  /** `entry` is the state before the count was taken. */
  set(entry: CollectionEntry, filter: Filter, count: number): void;
}

/** Counts with longer keys, which are the JSON of their filters, are not cached. */
const MAX_KEY_LENGTH = 4096;
const MAX_COUNTS = 2000;

/** Creates an empty cache. */
export function createCountCache(): CountCache {
  const counts = new LRUCache<string, { readonly writes: number; readonly count: number }>({
    max: MAX_COUNTS,
  });
  const textKeys = createTextKeys();
  const keyOf = ({ n }: CollectionEntry, filter: Filter) => {
    const key = textKeys(String(n), filter);
    return key.length > MAX_KEY_LENGTH ? undefined : key;
  };
  return {
    get(entry, filter) {
      const key = keyOf(entry, filter);
      const known = key === undefined ? undefined : counts.get(key);
      return known?.writes === entry.writes ? known.count : undefined;
    },
    set(entry, filter, count) {
      const key = keyOf(entry, filter);
      if (key !== undefined) counts.set(key, { writes: entry.writes, count });
    },
  };
}
