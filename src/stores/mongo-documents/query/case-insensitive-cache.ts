// What earlier case-insensitive queries have shown. Statistics choose the strategy that is tried first. Stored spellings of a
// text, valid until anything is written to the deployment, make the query an exact one in one round trip.

import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filter.ts';
import type { Namespace, Sort } from '../../ports.ts';
import { hasLongList } from '../filters/long-lists.ts';
import { caseInsensitiveEqualities, type TextEquality, withSpellings } from '../filters/text-conditions.ts';
import { translateFilter } from '../filters/translate.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';

/**
 * The query for a filter with all stored spellings in place of a case-insensitive test, and the time at which they were
 * complete.
 */
interface ResolvedFilter {
  readonly translated: TranslatedFilter;
  readonly time: bigint;
}

/** Times are operation times of the server: that of the last majority write to any collection. */
export interface SpellingCache {
  /** Records the time of an answer; undefined if the server returned none. */
  recordTime(time: bigint | undefined): void;
  /** The latest time that was seen. What is read after that is not older. */
  latestTime(): bigint | undefined;
  /**
   * The exact filter, where every spelling is known and nothing is known to have been written since. What it finds is
   * right if the answer has the same time, and may lack something otherwise.
   */
  resolve(ns: Namespace, filter: Filter): ResolvedFilter | undefined;
  /** Takes the spellings that were all there were at `time`. */
  store(ns: Namespace, equality: TextEquality, known: { spellings: readonly string[]; time: bigint }): void;
  /** Takes that the spellings of a text cannot be looked up in reasonable time. */
  markUnresolvable(ns: Namespace, equality: TextEquality): void;
  /** Whether that holds of some texts of the filter, and of all of them. */
  unresolvable(ns: Namespace, filter: Filter): { readonly some: boolean; readonly all: boolean };
  /** Whether the same filter was queried before without a write since, so that resolving its spellings pays off. */
  isRepeated(ns: Namespace, filter: Filter): boolean;
}

const MAX_ENTRIES = 2000;
const MAX_KEY_CHARACTERS = 1024;
const UNRESOLVABLE_TTL_MS = 60_000;

const keyOf = ({ database, collection }: Namespace, what: unknown) =>
  JSON.stringify([database, collection, what]);

/** Creates an empty cache. */
export function createSpellingCache(): SpellingCache {
  const spellings = new LRUCache<string, { spellings: readonly string[]; time: bigint }>({
    max: MAX_ENTRIES,
  });
  const repeated = new LRUCache<string, bigint>({ max: MAX_ENTRIES });
  const hopeless = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: UNRESOLVABLE_TTL_MS });
  /** The filters that were resolved last. One that is asked again is resolved once for each time. */
  const resolvedFilters = new WeakMap<
    Filter,
    { readonly ns: Namespace; readonly resolved: ResolvedFilter }
  >();
  let latest: bigint | undefined;
  return {
    recordTime(time) {
      if (time !== undefined && (latest === undefined || time > latest)) latest = time;
    },
    latestTime: () => latest,
    resolve(ns, filter) {
      if (latest === undefined) return undefined;
      const last = resolvedFilters.get(filter);
      if (last?.resolved.time === latest && last.ns === ns) return last.resolved;
      let result = filter;
      for (const equality of caseInsensitiveEqualities(filter)) {
        const known = spellings.get(keyOf(ns, equality));
        if (known?.time !== latest) return undefined;
        result = withSpellings(result, equality, known.spellings);
      }
      const resolved = { translated: translateFilter(result, { collated: false }), time: latest };
      resolvedFilters.set(filter, { ns, resolved });
      return resolved;
    },
    store(ns, equality, known) {
      const key = keyOf(ns, equality);
      if (key.length <= MAX_KEY_CHARACTERS) spellings.set(key, known);
    },
    markUnresolvable(ns, equality) {
      const key = keyOf(ns, equality);
      if (key.length <= MAX_KEY_CHARACTERS) hopeless.set(key, true);
    },
    unresolvable(ns, filter) {
      const states = caseInsensitiveEqualities(filter).map((equality) => hopeless.has(keyOf(ns, equality)));
      return { some: states.includes(true), all: !states.includes(false) };
    },
    isRepeated(ns, filter) {
      if (latest === undefined || hasLongList(filter)) return false;
      const key = keyOf(ns, filter);
      if (key.length > MAX_KEY_CHARACTERS) return false;
      const isAgain = repeated.get(key) === latest;
      repeated.set(key, latest);
      return isAgain;
    },
  };
}

/** What is remembered of each kind, and for how many milliseconds: data change. */
const MAX_STATISTICS = 1000;
const STATISTICS_TTL_MS = 60_000;

/** Longer filters are not remembered. */
const MAX_FILTER_CHARACTERS = 4096;

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
  return key.length > MAX_FILTER_CHARACTERS ? undefined : key;
}

/** Creates empty statistics. */
export function createCollationStatistics(): CollationStatistics {
  const bounds = { max: MAX_STATISTICS, ttl: STATISTICS_TTL_MS };
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
