// Cache of counts by filter. An entry is valid until the next write to its collection.
import { createTextCache } from '../../lib/text-cache.ts';
import { createTextKeys } from '../../lib/text-keys.ts';
import type { Filter } from '../filter.ts';
import type { CollectionEntry } from './data-file/catalogue.ts';

export interface CountCache {
  get(entry: CollectionEntry, filter: Filter): number | undefined;
  /** `entry` is the state before the count was taken. */
  set(entry: CollectionEntry, filter: Filter, count: number): void;
}

/** Counts that are cached, and the characters up to which the filter of one is, as JSON. */
const MAX_COUNTS = 2000;
const MAX_KEY_CHARACTERS = 4096;

/** Creates an empty cache. */
export function createCountCache(): CountCache {
  const counts = createTextCache<{ readonly writes: number; readonly count: number }>({
    max: MAX_COUNTS,
    maxCharacters: MAX_KEY_CHARACTERS,
  });
  const keyOf = createTextKeys();
  return {
    get({ n, writes }, filter) {
      const known = counts.get(keyOf(String(n), filter));
      return known?.writes === writes ? known.count : undefined;
    },
    set({ n, writes }, filter, count) {
      counts.set(keyOf(String(n), filter), { writes, count });
    },
  };
}
