// Runs a query and hands over what comes as bytes, batch by batch, never holding the thread for long.
import type { CollationOptions, Document, FindOptions } from 'mongodb';
import type { Direction, Namespace } from '../ports.ts';
import type { Scope } from './connection-types.ts';

/** What the server is asked for. */
export interface Ask {
  readonly ns: Namespace;
  readonly query: Document;
  readonly sort?: ReadonlyMap<string, Direction>;
  readonly skip?: number;
  readonly limit?: number;
  readonly fields?: Document | undefined;
  readonly collation?: CollationOptions;
}

/** What exact comparison is called, also where a collection of another program has a collation of its own. */
export const EXACT: CollationOptions = { locale: 'simple' };

const MOST_AT_ONCE = 100_000;
const SCAN_BATCH = 1000;
const TURN_MS = 5;

/** Calls `take` with each document's bytes in order, until it returns false. */
export async function readRows(scope: Scope, ask: Ask, take: (bytes: Uint8Array) => boolean): Promise<void> {
  const cursor = scope.collection(ask.ns).find(ask.query, optionsOf(scope, ask));
  let turnEnd = performance.now() + TURN_MS;
  try {
    while (await cursor.hasNext()) {
      for (const bytes of cursor.readBufferedDocuments()) {
        if (!take(bytes as unknown as Uint8Array)) return;
        if (performance.now() < turnEnd) continue;
        await new Promise((resolve) => setImmediate(resolve));
        scope.left();
        turnEnd = performance.now() + TURN_MS;
      }
    }
  } finally {
    await cursor.close();
  }
}

/** One more than the limit fits into a batch: so the server knows that it is done, and no second round trip follows. */
function optionsOf(scope: Scope, { sort, skip, limit, fields, collation = EXACT }: Ask): FindOptions {
  const maxTimeMS = scope.left();
  return {
    raw: true,
    collation,
    batchSize: limit === undefined ? SCAN_BATCH : Math.min(limit + 1, MOST_AT_ONCE),
    ...(limit === undefined ? {} : { limit }),
    ...(skip === undefined || skip === 0 ? {} : { skip }),
    ...(sort === undefined ? {} : { sort: new Map(sort), allowDiskUse: true }),
    ...(fields === undefined ? {} : { projection: fields }),
    ...(maxTimeMS === undefined ? {} : { maxTimeMS }),
  };
}

/** How many documents the server finds. */
export async function countRows(
  scope: Scope,
  { ns, query, collation = EXACT }: Pick<Ask, 'ns' | 'query' | 'collation'>,
): Promise<number> {
  const maxTimeMS = scope.left();
  return scope
    .collection(ns)
    .countDocuments(query, { collation, ...(maxTimeMS === undefined ? {} : { maxTimeMS }) });
}
