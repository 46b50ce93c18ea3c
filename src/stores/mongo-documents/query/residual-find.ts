// Finds and counts what the server cannot filter or sort exactly: reads the fields that a filter or sort needs of all candidates,
// selects ids here, then fetches the documents of the page by them.

import { BSON, type Document } from 'mongodb';
import { mapYielding } from '../../../lib/async/maybe-promise.ts';
import type { Filter } from '../../filter.ts';
import { createSorter } from '../../matching/compare.ts';
import { createPredicate } from '../../matching/filter-predicate.ts';
import type { FindQuery, Namespace, Sort, StoredDocument } from '../../ports.ts';
import { parseBson } from '../bson/bson-conversion.ts';
import type { OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import { createBoundedHeap } from './bounded-heap.ts';
import type { FoundPage, PageQuery } from './page.ts';
import { forEachDocument } from './read-command.ts';
import { serverProjection, serverSort } from './sort-and-projection.ts';

interface ResidualScan {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly translated: TranslatedFilter;
}

type ServerOrder = NonNullable<ReturnType<typeof serverSort>>;

/** An id as the database has it. */
type StoredId = unknown;

/**
 * Reads what the filter and a sort need of all candidates, and calls `take` with those that match until it returns false; in
 * the given order of the server, where there is one.
 */
async function forEachMatch(
  scope: OperationScope,
  { ns, filter, translated, sort = [], order }: ResidualScan & { sort?: Sort; order?: ServerOrder },
  take: (document: StoredDocument, bytes: Uint8Array) => boolean,
): Promise<void> {
  const matches = createPredicate(filter);
  const { fields } = serverProjection({ include: evaluatedFields(filter, sort) });
  const request = { ns, query: translated.query, fields, ...(order !== undefined && { sort: order }) };
  await forEachDocument(scope, request, (bytes) => {
    const document = parseBson(bytes);
    return !matches(document) || take(document, bytes);
  });
}

/** The number of documents that match. */
export async function countScanned(scope: OperationScope, scan: ResidualScan): Promise<number> {
  let count = 0;
  await forEachMatch(scope, scan, () => {
    count += 1;
    return true;
  });
  return count;
}

/** The ids of the page that `query` describes, in its order. */
export async function scanIds(
  scope: OperationScope,
  scan: ResidualScan,
  query: FindQuery,
): Promise<readonly StoredId[]> {
  const order = serverSort(query.sort, []);
  if (order === undefined) return sortIds(scope, scan, query);
  const ids: StoredId[] = [];
  let seen = 0;
  await forEachMatch(scope, { ...scan, order }, (_, bytes) => {
    seen += 1;
    if (seen > query.skip) ids.push(storedId(bytes));
    return ids.length < query.limit;
  });
  return ids;
}

/** The same, for orders that the server does not take. */
async function sortIds(
  scope: OperationScope,
  scan: ResidualScan,
  { sort, skip, limit }: FindQuery,
): Promise<readonly StoredId[]> {
  const sorter = createSorter(sort);
  type Candidate = { readonly key: ReturnType<typeof sorter.keyOf>; readonly id: StoredId };
  const first = createBoundedHeap<Candidate>(skip + limit, (a, b) => sorter.compare(a.key, b.key));
  await forEachMatch(scope, { ...scan, sort }, (document, bytes) => {
    first.add({ key: sorter.keyOf(document), id: storedId(bytes) });
    return true;
  });
  return (await first.take()).slice(skip).map(({ id }) => id);
}

/** The id of a document as the database has it. No other text of the document need be valid UTF-8. */
function storedId(bytes: Uint8Array): StoredId {
  const options = { promoteValues: false, validation: { utf8: false } };
  return (BSON.deserialize(bytes, options) as Document)['_id'];
}

/** The top-level fields that a filter and a sort read. They are read whole: a part may have another meaning. */
function evaluatedFields(filter: Filter, sort: Sort): readonly string[] {
  const paths = new Set(sort.map(([path]) => path));
  collectPaths(filter, paths);
  return [...paths].map((path) => path.split('.')[0] as string);
}

function collectPaths(filter: Filter, paths: Set<string>): void {
  if (filter.kind === 'field') paths.add(filter.path);
  else for (const part of filter.filters) collectPaths(part, paths);
}

const MAX_IDS_PER_QUERY = 5000;

/** Evaluates the filter here, on the superset that the server finds. */
export async function findResidual(
  scope: OperationScope,
  pageQuery: PageQuery,
  translated: TranslatedFilter,
): Promise<FoundPage> {
  const { ns, query } = pageQuery;
  return fetchPage(scope, pageQuery, await scanIds(scope, { ns, filter: query.filter, translated }, query));
}

/**
 * The same, sorted here: the server refuses a sort by two lists of one document without naming them, and also where the
 * filter leaves that document out. Rejects with a `parallel-arrays` that names them.
 */
export async function findSorted(
  scope: OperationScope,
  pageQuery: PageQuery,
  translated: TranslatedFilter,
): Promise<FoundPage> {
  const { ns, query } = pageQuery;
  return fetchPage(scope, pageQuery, await sortIds(scope, { ns, filter: query.filter, translated }, query));
}

async function fetchPage(
  scope: OperationScope,
  { ns, query, collect }: PageQuery,
  ids: readonly unknown[],
): Promise<FoundPage> {
  const { fields, finish } = serverProjection(query.projection, [
    '_id',
    ...evaluatedFields(query.filter, []),
  ]);
  const matches = createPredicate(query.filter);
  const { texts, add } = collect();
  const positions = new Map(await mapYielding(ids, (id, at) => [keyOf(id), at] as const));
  const found: { readonly position: number; readonly text: string }[] = [];
  for (let from = 0; from < ids.length; from += MAX_IDS_PER_QUERY) {
    const some = ids.slice(from, from + MAX_IDS_PER_QUERY);
    const request = { ns, query: { _id: { $in: some } }, limit: some.length, fields };
    await forEachDocument(scope, request, (bytes) => {
      // One that has changed since it was chosen may be none that the caller may see.
      if (!matches(parseBson(bytes))) return true;
      add(bytes);
      found.push({ position: positions.get(keyOf(storedId(bytes))) ?? 0, text: texts.at(-1) as string });
      return true;
    });
  }
  found.sort((a, b) => a.position - b.position);
  return { texts: found.map(({ text }) => text), finish };
}

function keyOf(id: unknown): string {
  return BSON.EJSON.stringify({ id }, { relaxed: false });
}
