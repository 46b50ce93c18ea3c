// Statistics of earlier case-insensitive queries. They choose the strategy that is tried first and never affect results.
import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filter.ts';
import type { Namespace, Sort } from '../../ports.ts';
import { hasLongList } from '../filters/long-lists.ts';

/** What is remembered of each kind, and for how many milliseconds: data change. */
const MAX_ENTRIES = 1000;
const TTL_MS = 60_000;

/** Longer filters are not remembered. */
const MAX_KEY_CHARACTERS = 4096;

export interface CollationStatistics {
  /** Whether all that was seen of a sort's values has the same order under every collation. */
  hasStableOrder(ns: Namespace, sort: Sort): boolean;
  recordOrder(ns: Namespace, sort: Sort, isSteady: boolean): void;
  /** Whether a filter had many matches. */
  hasManyMatches(ns: Namespace, filter: Filter): boolean;
  recordManyMatches(ns: Namespace, filter: Filter): void;
}

const sortKey = ({ database, collection }: Namespace, sort: Sort) =>
  JSON.stringify([database, collection, sort.map(([path]) => path)]);

function filterKey({ database, collection }: Namespace, filter: Filter): string | undefined {
  if (hasLongList(filter)) return undefined;
  const key = JSON.stringify([database, collection, filter]);
  return key.length > MAX_KEY_CHARACTERS ? undefined : key;
}

/** Creates empty statistics. */
export function createCollationStatistics(): CollationStatistics {
  const bounds = { max: MAX_ENTRIES, ttl: TTL_MS };
  const steady = new LRUCache<string, true>(bounds);
  const many = new LRUCache<string, true>(bounds);
  return {
    // Ids are ordered alike by every collation.
    hasStableOrder: (ns, sort) => sort.every(([path]) => path === '_id') || steady.has(sortKey(ns, sort)),
    recordOrder(ns, sort, isSteady) {
      if (isSteady) steady.set(sortKey(ns, sort), true);
      else steady.delete(sortKey(ns, sort));
    },
    hasManyMatches(ns, filter) {
      const key = filterKey(ns, filter);
      return key !== undefined && many.has(key);
    },
    recordManyMatches(ns, filter) {
      const key = filterKey(ns, filter);
      if (key !== undefined) many.set(key, true);
    },
  };
}
