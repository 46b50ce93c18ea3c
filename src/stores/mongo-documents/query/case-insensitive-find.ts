// Reads that ask for text whatever its case, by the stored spellings of the text: with these the query is an exact one, which
// every index and sort serves. Spellings are remembered until anything is written to the deployment.
import { LRUCache } from 'lru-cache';
import type { Filter } from '../../filter.ts';
import { type Namespace, namespaceKey } from '../../ports.ts';
import type { KnownIndex, OperationScope } from '../connection/types.ts';
import { caseInsensitiveEqualities, type TextEquality, withSpellings } from '../filters/text-conditions.ts';
import { translateFilter } from '../filters/translate.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import type { ProbedTranslation } from './non-json-paths.ts';
import { findSpellings, type StoredSpellings } from './spelling-lookup.ts';

/** Texts of one filter that are looked up, each by many round trips; a few narrow enough, patterns say the rest. */
const MAX_TEXTS = 4;

const MAX_ENTRIES = 2000;
const MAX_KEY_CHARACTERS = 1024;
/** For how many milliseconds a text in too many spellings is not looked up again. */
const UNRESOLVABLE_TTL_MS = 60_000;

interface CaseInsensitiveQuery {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly known: readonly KnownIndex[];
  /** The filter with a pattern for each text, which no index narrows. */
  readonly translated: ProbedTranslation;
}

/** What a read returns: with the operation time of the server's answer, where it came as one. */
interface TimedResult {
  readonly time?: bigint | undefined;
}

/**
 * Reads by `read`, passing it the translation that an index serves best, of which each finds the same. May read twice: what
 * the first call returns is dropped if something was written since the spellings were looked up.
 */
export type CaseInsensitiveReader = <T extends TimedResult>(
  scope: OperationScope,
  query: CaseInsensitiveQuery,
  read: (translated: TranslatedFilter) => Promise<T>,
) => Promise<T>;

/** A filter with all spellings that were stored at that time. */
interface ResolvedFilter {
  readonly ns: Namespace;
  readonly translated: TranslatedFilter;
  readonly time: bigint;
}

/** Creates the reader of a store. It remembers nothing at first. */
export function createCaseInsensitiveReader(): CaseInsensitiveReader {
  const spellings = new LRUCache<string, StoredSpellings>({ max: MAX_ENTRIES });
  const unresolvable = new LRUCache<string, true>({ max: MAX_ENTRIES, ttl: UNRESOLVABLE_TTL_MS });
  /** The filters that were resolved last. One that is asked again is resolved once for each time. */
  const resolvedFilters = new WeakMap<Filter, ResolvedFilter>();
  /** The latest operation time that was seen: what is read after that is not older. */
  let latest: bigint | undefined;

  const recordTime = ({ time }: TimedResult) => {
    if (time !== undefined && (latest === undefined || time > latest)) latest = time;
  };

  /** The exact filter, where every spelling is known and nothing is known to have been written since. */
  const recall = ({ ns, filter, translated }: CaseInsensitiveQuery, texts: readonly TextEquality[]) => {
    if (latest === undefined) return undefined;
    const last = resolvedFilters.get(filter);
    if (last?.time === latest && last.ns === ns) return last;
    let exact = filter;
    for (const equality of texts) {
      const known = spellings.get(keyOf(ns, equality));
      if (known?.time !== latest) return undefined;
      exact = withSpellings(exact, equality, known.spellings);
    }
    const resolved = { ns, translated: translateFilter(exact, translated.nonJsonAt), time: latest };
    resolvedFilters.set(filter, resolved);
    return resolved;
  };

  const lookUp = async (scope: OperationScope, query: CaseInsensitiveQuery, equality: TextEquality) => {
    const key = keyOf(query.ns, equality);
    if (unresolvable.has(key)) return undefined;
    // What was read in between is of this time only if it was the latest before.
    const before = latest;
    const found = await findSpellings(scope, equality, query);
    const isShort = key.length <= MAX_KEY_CHARACTERS;
    if (found === undefined) {
      if (isShort) unresolvable.set(key, true);
      return undefined;
    }
    recordTime(found);
    if (isShort && found.time !== undefined && found.time === before) spellings.set(key, found);
    return found.spellings;
  };

  /** The filter with the spellings that there are, where they can be found. */
  const resolve = async (
    scope: OperationScope,
    query: CaseInsensitiveQuery,
    texts: readonly TextEquality[],
  ) => {
    let exact = query.filter;
    for (const equality of texts.slice(0, MAX_TEXTS)) {
      const found = await lookUp(scope, query, equality);
      if (found !== undefined) exact = withSpellings(exact, equality, found);
    }
    return exact === query.filter ? query.translated : translateFilter(exact, query.translated.nonJsonAt);
  };

  return async (scope, query, read) => {
    const texts = caseInsensitiveEqualities(query.filter);
    if (texts.length === 0) return read(query.translated);
    const recalled = recall(query, texts);
    if (recalled !== undefined) {
      const result = await read(recalled.translated);
      recordTime(result);
      if (result.time === recalled.time) return result;
    }
    const result = await read(await resolve(scope, query, texts));
    recordTime(result);
    return result;
  };
}

const keyOf = (ns: Namespace, { path, text }: TextEquality) => JSON.stringify([namespaceKey(ns), path, text]);
