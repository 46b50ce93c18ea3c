// Sends reads as bare commands: the driver's cursors cost as much as all the rest of a read by id.
import {
  BSON,
  type ClientSession,
  type CollationOptions,
  type Document,
  MongoError,
  MongoNetworkError,
  Timestamp,
} from 'mongodb';
import type { Namespace } from '../../ports.ts';
import type { Scope } from '../connection/types.ts';

/**
 * After these the same read may well succeed, on the server that now answers:
 * https://github.com/mongodb/specifications/blob/master/source/retryable-reads/retryable-reads.md#retryable-error
 */
const RETRYABLE: ReadonlySet<unknown> = new Set([
  ...[6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436],
]);

/** Kinds of elements, as BSON numbers them. */
const ARRAY = 0x04;
const LONG = 0x12;

function isRetryable(error: unknown): boolean {
  if (error instanceof MongoNetworkError) return true;
  return error instanceof MongoError && RETRYABLE.has(error.code);
}

/**
 * Runs a command that only reads, in the database of `ns`, once more where the server went away meanwhile: what the driver
 * does for reads of its own alone. `raw` leaves objects in the answer as their bytes. Throws what the driver throws.
 */
export async function runRead(
  scope: Scope,
  ns: Namespace,
  command: Document,
  options: { readonly raw?: boolean; readonly session?: ClientSession } = {},
): Promise<Document> {
  const send = () => {
    const bounded = { ...command, readConcern: scope.readConcern(), ...scope.timeLimit() };
    return scope.database(ns.database).command(bounded, options);
  };
  try {
    return await send();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return send();
  }
}

/** The time of the last write that the majority has, to whatever collection; undefined from servers that tell none. */
export function timeIn(answer: Document): bigint | undefined {
  const time: unknown = answer['operationTime'];
  return time instanceof Timestamp ? time.toBigInt() : undefined;
}

type Element = readonly [
  type: number,
  nameOffset: number,
  nameLength: number,
  offset: number,
  length: number,
];

const elementsOf = (bytes: Uint8Array, at: number) =>
  BSON.onDemand.parseToElements(bytes, at) as Iterable<Element>;

/** A batch of documents, and the cursor that has the next one: 0 where there is none. */
interface Batch {
  readonly documents: readonly Uint8Array[];
  readonly next: bigint;
}

/** Reads the member `cursor` of an answer. Its other members say nothing that matters here. */
function batchOf(cursor: Buffer): Batch {
  const documents: Uint8Array[] = [];
  let next = 0n;
  for (const [type, , , at] of elementsOf(cursor, 0)) {
    if (type === LONG) next = cursor.readBigInt64LE(at);
    if (type !== ARRAY) continue;
    for (const [, , , from, length] of elementsOf(cursor, at))
      documents.push(cursor.subarray(from, from + length));
  }
  return { documents, next };
}

/** A `find` command but for its name: the members that the driver knows as options too. */
export interface FindCommand {
  readonly filter: Document;
  readonly limit: number;
  readonly skip?: number;
  readonly sort?: ReadonlyMap<string, number>;
  readonly projection?: Document;
  readonly collation?: CollationOptions;
  readonly hint?: Document | string;
  readonly allowDiskUse?: boolean;
}

/** Takes documents as they come, as their bytes. False: no more of them. */
export type Take = (documents: readonly Uint8Array[]) => Promise<boolean>;

/**
 * Hands over what `command` finds, in order: in one round trip, unless it is more than the server sends at once (16 MiB).
 * Resolves with the time of the answer, where there was but one. Throws what the driver throws.
 */
export async function readPage(
  scope: Scope,
  ns: Namespace,
  command: FindCommand,
  take: Take,
): Promise<bigint | undefined> {
  const database = scope.database(ns.database);
  const { collectionName: collection } = scope.collection(ns);
  // One more than the limit: the server then sees the end, and leaves no cursor open.
  const batchSize = command.limit + 1;
  // A cursor belongs to the session that it was opened in; one document needs none, nor a second batch.
  const options = { raw: true, ...(command.limit > 1 && { session: scope.session() }) };
  const answer = await runRead(scope, ns, { find: collection, batchSize, ...command }, options);
  let batch = batchOf(answer['cursor'] as Buffer);
  const isWhole = batch.next === 0n;
  try {
    while ((await take(batch.documents)) && batch.next !== 0n) {
      scope.left();
      const more = await database.command({ getMore: batch.next, collection, batchSize }, options);
      batch = batchOf(more['cursor'] as Buffer);
    }
  } finally {
    // Also where taking failed: a cursor that nobody asks any more lives for ten minutes.
    const kill = { killCursors: collection, cursors: [batch.next] };
    if (batch.next !== 0n) await database.command(kill, options).catch(() => undefined);
  }
  return isWhole ? timeIn(answer) : undefined;
}
