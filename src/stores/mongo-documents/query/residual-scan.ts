// Evaluates a filter or sort that the server cannot: reads the fields that it needs of all candidates, and selects ids.
import { BSON, type Document } from 'mongodb';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { Filter } from '../../filter.ts';
import { compileFilter } from '../../matching/compile-filter.ts';
import { createSorter } from '../../matching/sorter.ts';
import type { FindQuery, Namespace, Sort } from '../../ports.ts';
import { parseBson } from '../bson/bson-to-json.ts';
import type { OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import { createBoundedHeap } from './bounded-heap.ts';
import { forEachDocument } from './cursor.ts';
import { serverProjection } from './projection.ts';
import { serverSort } from './sort.ts';

interface ResidualScan {
  readonly ns: Namespace;
  readonly filter: Filter;
  readonly translated: TranslatedFilter;
}

/** An id as the database has it. */
type StoredId = unknown;

/** The number of documents that match. */
export async function countScanned(
  scope: OperationScope,
  { ns, filter, translated }: ResidualScan,
): Promise<number> {
  const matches = compileFilter(filter);
  let count = 0;
  await forEachDocument(
    scope,
    { ns, query: translated.query, fields: evaluatedProjection(filter, []) },
    (bytes) => {
      if (matches(parseBson(bytes))) count += 1;
      return true;
    },
  );
  return count;
}

/** The ids of the page that `query` describes, in its order. */
export async function scanIds(
  scope: OperationScope,
  scan: ResidualScan,
  query: FindQuery,
): Promise<readonly StoredId[]> {
  const sort = serverSort(query.sort, []);
  if (sort === undefined) return sortIds(scope, scan, query);
  const { ns, filter, translated } = scan;
  const matches = compileFilter(filter);
  const ids: StoredId[] = [];
  let skipped = 0;
  await forEachDocument(
    scope,
    { ns, query: translated.query, sort, fields: evaluatedProjection(filter, []) },
    (bytes) => {
      if (!matches(parseBson(bytes))) return true;
      if (skipped < query.skip) {
        skipped += 1;
        return true;
      }
      ids.push(storedId(bytes));
      return ids.length < query.limit;
    },
  );
  return ids;
}

/** The same, for orders that the server does not take. */
export async function sortIds(
  scope: OperationScope,
  { ns, filter, translated }: ResidualScan,
  query: FindQuery,
): Promise<readonly StoredId[]> {
  const matches = compileFilter(filter);
  const first = createTopIds(query.sort, query.skip + query.limit);
  await forEachDocument(
    scope,
    { ns, query: translated.query, fields: evaluatedProjection(filter, query.sort) },
    (bytes) => {
      const document = parseBson(bytes);
      if (matches(document)) first.add(document, bytes);
      return true;
    },
  );
  return (await first.take()).slice(query.skip);
}

/** Keeps the ids of the first `size` documents in the order of `sort`. */
function createTopIds(sort: Sort, size: number) {
  const sorter = createSorter(sort);
  type Candidate = { readonly key: ReturnType<typeof sorter.keyOf>; readonly id: StoredId };
  const smallest = createBoundedHeap<Candidate>(size, (a, b) => sorter.compare(a.key, b.key));
  return {
    add(document: JsonObject, bytes: Uint8Array): void {
      smallest.add({ key: sorter.keyOf(document), id: storedId(bytes) });
    },
    take: async (): Promise<readonly StoredId[]> => (await smallest.take()).map(({ id }) => id),
  };
}

/** The same from two orders of the server: that of the documents with a date at `path`, and that of the others. */
export async function mergeIds(
  scope: OperationScope,
  scan: ResidualScan,
  { query, path }: { readonly query: FindQuery; readonly path: string },
): Promise<readonly StoredId[]> {
  const sort = serverSort(query.sort, []);
  if (sort === undefined) return sortIds(scope, scan, query);
  const { ns, filter, translated } = scan;
  const matches = compileFilter(filter);
  const wanted = query.skip + query.limit;
  const first = createTopIds(query.sort, wanted);
  const fields = evaluatedProjection(filter, query.sort);
  for (const half of [{ $type: 'date' }, { $not: { $type: 'date' } }]) {
    let remaining = wanted;
    const request = { ns, query: { $and: [translated.query, { [path]: half }] }, sort, fields };
    await forEachDocument(scope, translated.exact ? { ...request, limit: wanted } : request, (bytes) => {
      const document = parseBson(bytes);
      if (!matches(document)) return true;
      first.add(document, bytes);
      remaining -= 1;
      return remaining > 0;
    });
  }
  return (await first.take()).slice(query.skip);
}

/** The id of a document as the database has it. */
export function storedId(bytes: Uint8Array): StoredId {
  return (BSON.deserialize(bytes, { promoteValues: false }) as Document)['_id'];
}

/** The top-level fields that a filter and a sort read. They are read whole: a part may have another meaning. */
export function evaluatedFields(filter: Filter, sort: Sort): readonly string[] {
  const paths = new Set(sort.map(([path]) => path));
  collectPaths(filter, paths);
  return [...paths].map((path) => path.split('.')[0] as string);
}

function evaluatedProjection(filter: Filter, sort: Sort): Document | undefined {
  return serverProjection({ include: evaluatedFields(filter, sort) }).fields;
}

function collectPaths(filter: Filter, paths: Set<string>): void {
  if (filter.kind === 'field') paths.add(filter.path);
  else for (const part of filter.filters) collectPaths(part, paths);
}
