// Case-insensitive finds and counts by an index: by the case-insensitive shadow index, or by the stored spellings of a text.
import type { Document } from 'mongodb';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Filter } from '../../filter.ts';
import { createSorter } from '../../matching/compare.ts';
import { parsePath, readField } from '../../matching/paths.ts';
import type { Namespace, Sort } from '../../ports.ts';
import type { KnownIndex, OperationScope } from '../connection/types.ts';
import {
  CASE_INSENSITIVE_COLLATION,
  caseInsensitiveEqualities,
  isCoveredByCollation,
  otherForms,
  textEqualities,
  withSpellings,
} from '../filters/text-conditions.ts';
import { translateFilter } from '../filters/translate.ts';
import { hasValue, type TranslatedFilter } from '../filters/translated-filter.ts';
import type { CollationStatistics, SpellingCache } from './case-insensitive-cache.ts';
import { type FoundPage, findPlain, type PageQuery, readTexts } from './page.ts';
import { countDocuments, countDocumentsAt } from './read-command.ts';
import { serverProjection, serverSort } from './sort-and-projection.ts';
import { findSpellings } from './spelling-lookup.ts';

/**
 * Up to so many matches are counted under the collation, which compares each; more are counted by their spellings.
 */
const MAX_COLLATED_COUNT = 300;

interface CaseInsensitiveQuery {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly known: readonly KnownIndex[];
  readonly statistics: CollationStatistics;
  readonly spellingCache: SpellingCache;
}

/** The page, where an index helps to find it; undefined where none does. */
export async function findIgnoringCase(
  scope: OperationScope,
  pageQuery: PageQuery,
): Promise<FoundPage | undefined> {
  const { ns, query, statistics, spellingCache } = pageQuery;
  if (caseInsensitiveEqualities(query.filter).length === 0) return undefined;
  const resolved = spellingCache.resolve(ns, query.filter);
  if (resolved !== undefined) {
    const page = await findExact(scope, pageQuery, resolved.translated);
    if (page.time === resolved.time) return page;
  }
  const unresolvable = spellingCache.unresolvable(ns, query.filter);
  const bySpelling = async () => (unresolvable.all ? undefined : await findBySpellings(scope, pageQuery));
  const shouldResolve = spellingCache.isRepeated(ns, query.filter) && !unresolvable.some;
  // One round trip, where the collation's order is known to be the right one; otherwise the page would be for nothing.
  if (unresolvable.all || (statistics.hasStableOrder(ns, query.sort) && !shouldResolve)) {
    return (await findByCollation(scope, pageQuery)) ?? (await bySpelling());
  }
  return (await bySpelling()) ?? (await findByCollation(scope, pageQuery));
}

async function findBySpellings(scope: OperationScope, pageQuery: PageQuery): Promise<FoundPage | undefined> {
  const { ns, query, statistics } = pageQuery;
  const filter = await resolveSpellings(scope, { ...pageQuery, filter: query.filter });
  if (filter === undefined) return undefined;
  const page = await findExact(scope, pageQuery, translateFilter(filter, BINARY));
  if (query.projection === undefined && page.texts.length > 0) {
    statistics.recordOrder(ns, query.sort, page.texts.every(createOrderCheck(query.sort)));
  }
  return page;
}

/** Takes the query with spellings in it. */
async function findExact(
  scope: OperationScope,
  pageQuery: PageQuery,
  translated: TranslatedFilter,
): Promise<FoundPage> {
  const page = await findPlain(scope, pageQuery, translated);
  pageQuery.spellingCache.recordTime(page.time);
  return page;
}

/** The number of matches, where an index helps to find them; undefined where none does. */
export async function countIgnoringCase(
  scope: OperationScope,
  caseInsensitiveQuery: CaseInsensitiveQuery,
): Promise<number | undefined> {
  const { ns, filter, statistics, spellingCache } = caseInsensitiveQuery;
  if (caseInsensitiveEqualities(filter).length === 0) return undefined;
  const resolved = spellingCache.resolve(ns, filter);
  if (resolved !== undefined) {
    const { count, time } = await countDocumentsAt(scope, { ns, query: resolved.translated.query });
    spellingCache.recordTime(time);
    if (time === resolved.time) return count;
  }
  const query = collatedQuery(caseInsensitiveQuery);
  if (query !== undefined && !statistics.hasManyMatches(ns, filter)) {
    const count = await countDocuments(scope, {
      ns,
      query,
      collation: CASE_INSENSITIVE_COLLATION,
      limit: MAX_COLLATED_COUNT,
    });
    if (count < MAX_COLLATED_COUNT) return count;
    statistics.recordManyMatches(ns, filter);
  }
  const exact = await resolveSpellings(scope, caseInsensitiveQuery);
  if (exact !== undefined) return countDocuments(scope, { ns, query: translateFilter(exact, BINARY).query });
  return query && countDocuments(scope, { ns, query, collation: CASE_INSENSITIVE_COLLATION });
}

const BINARY = { collated: false };

/** Texts of one filter that are looked up, each by many round trips; a few narrow enough, patterns say the rest. */
const MAX_TEXTS = 4;

/** The filter with the spellings that there are; undefined where they could not be found. */
async function resolveSpellings(
  scope: OperationScope,
  {
    ns,
    filter,
    known,
    spellingCache,
  }: Pick<CaseInsensitiveQuery, 'ns' | 'filter' | 'known' | 'spellingCache'>,
): Promise<Filter | undefined> {
  let result: Filter | undefined;
  for (const equality of caseInsensitiveEqualities(filter).slice(0, MAX_TEXTS)) {
    // What was read in between is of this time only if it was the latest before.
    const before = spellingCache.latestTime();
    const found = await findSpellings(scope, equality, { ns, known });
    if (found === undefined) {
      spellingCache.markUnresolvable(ns, equality);
      continue;
    }
    const { spellings, time } = found;
    spellingCache.recordTime(time);
    if (time !== undefined && time === before) spellingCache.store(ns, equality, { spellings, time });
    result = withSpellings(result ?? filter, equality, spellings);
  }
  return result;
}

/** The exact query under the collation, narrowed so that its index serves; undefined where there is none such. */
function collatedQuery({
  filter,
  known,
}: Pick<CaseInsensitiveQuery, 'filter' | 'known'>): Document | undefined {
  const folded = caseInsensitiveEqualities(filter).filter(({ text }) => isCoveredByCollation(text));
  const shadow = known.find(
    ({ hasReadyShadow, definition }) =>
      hasReadyShadow && folded.some(({ path }) => definition.keys[0]?.path === path),
  );
  const translated = shadow && translateFilter(filter, { collated: true });
  if (translated?.exact !== true) return undefined;
  const narrowing = textEqualities(filter)
    .filter(({ text }) => isCoveredByCollation(text))
    .filter(({ path }) => shadow?.definition.keys.some((key) => key.path === path))
    .map(({ path, text }): TranslatedFilter => hasValue(path, [text, ...otherForms(text)]));
  return { $and: [...narrowing.map(({ query }) => query), translated.query] };
}

/**
 * The page as the collation gives it, where that is the right one. Its order differs from the exact one only among texts
 * and what holds texts.
 */
async function findByCollation(
  scope: OperationScope,
  { ns, query, known, statistics, spellingCache, collect }: PageQuery,
): Promise<FoundPage | undefined> {
  const { filter, sort, skip, limit, projection } = query;
  const collated = collatedQuery({ filter, known });
  const order = serverSort(sort, known);
  if (collated === undefined || order === undefined) return undefined;
  const { fields, finish } = serverProjection(projection, ['_id', ...sort.map(([path]) => path)]);
  const request = {
    ns,
    query: collated,
    sort: order,
    skip,
    limit,
    fields,
    collation: CASE_INSENSITIVE_COLLATION,
  };
  const { texts, time } = await readTexts(scope, request, collect());
  spellingCache.recordTime(time);
  if (texts.every(createOrderCheck(sort))) return { texts, finish };
  statistics.recordOrder(ns, sort, false);
  // Fewer than the limit are all matches, so they can be sorted here.
  if (skip > 0 || texts.length >= limit) return undefined;
  const { keyOf, compare } = createSorter(sort);
  const keyed = texts.map((text) => ({ key: keyOf(JSON.parse(text) as JsonObject), text }));
  keyed.sort((a, b) => compare(a.key, b.key));
  return { texts: keyed.map(({ text }) => text), finish };
}

/** The end of a document's text whose id is an ObjectId. */
const OBJECT_ID_END = /"_id":"[0-9a-f]{24}"\}$/;

/** Tells of a document whether every collation gives it the same place. */
function createOrderCheck(sort: Sort): (text: string) => boolean {
  const paths = sort.filter(([path]) => path !== '_id').map(([path]) => parsePath(path));
  const names = paths.map(([part, ...rest]) =>
    part !== undefined && rest.length === 0 ? `${JSON.stringify(part.name)}:` : undefined,
  );
  return (text) => {
    if (!OBJECT_ID_END.test(text.slice(-40))) return false;
    if (names.every((name) => name !== undefined && isCollationIndependentText(text, name))) return true;
    const document = JSON.parse(text) as JsonObject;
    return paths.every((parts) => isCollationIndependent(document, parts));
  };
}

/** Whether no member of that name, at any depth, holds text, an object or an array. Does not parse the document. */
function isCollationIndependentText(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if ('"{['.includes(text.charAt(at + name.length))) return false;
  }
  return true;
}

function isCollationIndependent(document: JsonObject, parts: ReturnType<typeof parsePath>): boolean {
  let value: unknown = document;
  for (const part of parts) {
    if (Array.isArray(value)) return false;
    value = typeof value === 'object' && value !== null ? readField(value as JsonObject, part) : undefined;
  }
  return typeof value !== 'string' && (typeof value !== 'object' || value === null);
}
