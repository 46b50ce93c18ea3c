// Pages that the server finds by itself, in one round trip.
import { ObjectId } from 'mongodb';
import type { OperationScope } from '../connection/types.ts';
import type { TranslatedFilter } from '../filters/translated-filter.ts';
import { type FoundPage, type PageQuery, readTexts } from './page.ts';
import { serverProjection } from './projection.ts';
import { serverSort } from './sort.ts';

/** Takes a filter that was said exactly, and a sort that the server can do. */
export async function findPlain(
  scope: OperationScope,
  { ns, query, known, collect }: PageQuery,
  translated: TranslatedFilter,
): Promise<FoundPage> {
  const { sort, skip, limit, projection } = query;
  const { fields, finish } = serverProjection(projection);
  const order = isOneId(translated) ? undefined : serverSort(sort, known);
  const ask = {
    ns,
    query: translated.query,
    skip,
    limit,
    fields,
    ...(order === undefined ? {} : { sort: order }),
  };
  return { ...(await readTexts(scope, ask, collect())), finish };
}

/** One document at most needs no order, and is found on the server's shortest way without. */
function isOneId({ query }: TranslatedFilter): boolean {
  return Object.keys(query).length === 1 && query['_id'] instanceof ObjectId;
}
