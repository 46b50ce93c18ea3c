// Pages whose documents were chosen here: fetched by their ids, in the order that was found.
import { BSON } from 'mongodb';
import { mapInSlices } from '../../../lib/slices.ts';
import { compileFilter } from '../../matching/match.ts';
import { fromBson } from '../bson/text.ts';
import type { Scope } from '../connection/types.ts';
import type { Said } from '../filters/said.ts';
import type { Page, Search } from './page.ts';
import { serverProjection } from './projection.ts';
import { decidingNames, idOf, mergeIds, scanIds, sortIds } from './residual-scan.ts';
import { readRows } from './rows.ts';

const AT_ONCE = 5000;

/** Evaluates the filter here, on what `said` leaves. */
export async function findResidual(scope: Scope, search: Search, said: Said): Promise<Page> {
  const { ns, query } = search;
  return fetchPage(scope, search, await scanIds(scope, { ns, filter: query.filter, said }, query));
}

/**
 * The same, sorted here: the server refuses a sort by two lists of one document without naming them, and also where the
 * filter leaves that document out. Rejects with a `parallel-arrays` that names them.
 */
export async function findSorted(scope: Scope, search: Search, said: Said): Promise<Page> {
  const { ns, query } = search;
  return fetchPage(scope, search, await sortIds(scope, { ns, filter: query.filter, said }, query));
}

/**
 * The same for a path where dates and text are mixed, which the server sorts apart: it sorts each kind by itself, and of
 * both no more than the page needs is merged here.
 */
export async function findMerged(
  scope: Scope,
  search: Search,
  { said, path }: { readonly said: Said; readonly path: string },
): Promise<Page> {
  const { ns, query } = search;
  const scan = { ns, filter: query.filter, said };
  return fetchPage(scope, search, await mergeIds(scope, scan, { query, path }));
}

async function fetchPage(
  scope: Scope,
  { ns, query, collect }: Search,
  ids: readonly unknown[],
): Promise<Page> {
  const { fields, finish } = serverProjection(query.projection, ['_id', ...decidingNames(query.filter, [])]);
  const matches = compileFilter(query.filter);
  const { texts, add } = collect();
  const places = new Map(await mapInSlices(ids, (id, at) => [keyOf(id), at] as const));
  const found: { readonly place: number; readonly text: string }[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const some = ids.slice(from, from + AT_ONCE);
    const ask = { ns, query: { _id: { $in: some } }, limit: some.length, fields };
    await readRows(scope, ask, (bytes) => {
      // One that has changed since it was chosen may be none that the caller may see.
      if (!matches(fromBson(bytes))) return true;
      add(bytes);
      found.push({ place: places.get(keyOf(idOf(bytes))) ?? 0, text: texts.at(-1) as string });
      return true;
    });
  }
  found.sort((a, b) => a.place - b.place);
  return { texts: found.map(({ text }) => text), finish };
}

function keyOf(id: unknown): string {
  return BSON.EJSON.stringify({ id }, { relaxed: false });
}
