// Pages of documents that were selected by this process: fetched by their ids, in the selected order.
import { BSON } from 'mongodb';
import { mapYielding } from '../../../lib/async/yielding.ts';
import { compileFilter } from '../../matching/compile-filter.ts';
import { parseBson } from '../bson/bson-to-json.ts';
import type { OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import { forEachDocument } from './cursor.ts';
import type { FoundPage, PageQuery } from './page.ts';
import { serverProjection } from './projection.ts';
import { evaluatedFields, mergeIds, scanIds, sortIds, storedId } from './residual-scan.ts';

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

/**
 * The same for a path where dates and text are mixed, which the server sorts apart: it sorts each kind by itself, and of
 * both no more than the page needs is merged here.
 */
export async function findMerged(
  scope: OperationScope,
  pageQuery: PageQuery,
  { translated, path }: { readonly translated: TranslatedFilter; readonly path: string },
): Promise<FoundPage> {
  const { ns, query } = pageQuery;
  const scan = { ns, filter: query.filter, translated };
  return fetchPage(scope, pageQuery, await mergeIds(scope, scan, { query, path }));
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
  const matches = compileFilter(query.filter);
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
