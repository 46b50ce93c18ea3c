// Pages that the server finds by itself, in one round trip.
import { ObjectId } from 'mongodb';
import type { Scope } from '../connection/types.ts';
import type { Said } from '../filters/said.ts';
import { type Page, readTexts, type Search } from './page.ts';
import { serverProjection } from './projection.ts';
import { serverSort } from './sort.ts';

/** Takes a filter that was said exactly, and a sort that the server can do. */
export async function findPlain(
  scope: Scope,
  { ns, query, known, collect }: Search,
  said: Said,
): Promise<Page> {
  const { sort, skip, limit, projection } = query;
  const { fields, finish } = serverProjection(projection);
  const order = isOneId(said) ? undefined : serverSort(sort, known);
  const ask = { ns, query: said.query, skip, limit, fields, ...(order === undefined ? {} : { sort: order }) };
  return { ...(await readTexts(scope, ask, collect())), finish };
}

/** One document at most needs no order, and is found on the server's shortest way without. */
function isOneId({ query }: Said): boolean {
  return Object.keys(query).length === 1 && query['_id'] instanceof ObjectId;
}
