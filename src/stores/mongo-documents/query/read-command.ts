// Sends reads as plain commands: the driver's cursors cost as much as the rest of a read by id.
import { type ClientSession, type CollationOptions, type Document, type Long, Timestamp } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Namespace } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';

/** Documents of an answer come as bytes. Everything else, such as errors, is deserialized as usual. */
const RAW_DOCUMENTS = { fieldsAsRaw: { firstBatch: true, nextBatch: true }, promoteLongs: false };

/**
 * Runs a command that only reads, in the database of `ns`. `raw` leaves the documents in the answer as their bytes. Never
 * the driver's own `raw`: it would leave parts of an error as bytes, and the driver itself looks into these. Throws what
 * the driver throws.
 */
export async function runRead(
  scope: OperationScope,
  ns: Namespace,
  command: Document,
  { raw = false, session }: { readonly raw?: boolean; readonly session?: ClientSession } = {},
): Promise<Document> {
  const bounded = { ...command, readConcern: scope.readConcern(), ...scope.timeLimit() };
  const options = { ...(raw && RAW_DOCUMENTS), ...(session !== undefined && { session }) };
  return scope.database(ns.database).command(bounded, options);
}

/** Operation time: that of the last majority write to any collection; undefined if the server returns none. */
export function operationTimeOf(answer: Document): bigint | undefined {
  const time: unknown = answer['operationTime'];
  return time instanceof Timestamp ? time.toBigInt() : undefined;
}

/** The member `cursor` of an answer: a batch of documents, and the cursor that has the next one, 0 where there is none. */
function batchOf(answer: Document): { readonly documents: readonly Uint8Array[]; readonly next: Long } {
  const { id, firstBatch, nextBatch } = answer['cursor'];
  return { documents: firstBatch ?? nextBatch, next: id };
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

/** Consumes documents as bytes. Resolves with false to stop. */
export type TakeDocuments = (documents: readonly Uint8Array[]) => Promise<boolean>;

/**
 * Hands over what `command` finds, in order: in one round trip, unless it is more than the server sends at once (16 MiB).
 * Resolves with the time of the answer, where there was but one. Throws what the driver throws.
 */
export async function readBatches(
  scope: OperationScope,
  ns: Namespace,
  command: FindCommand,
  take: TakeDocuments,
): Promise<bigint | undefined> {
  const database = scope.database(ns.database);
  const { collectionName: collection } = scope.collection(ns);
  // One more than the limit: the server then sees the end, and leaves no cursor open.
  const batchSize = command.limit + 1;
  // A cursor belongs to the session that it was opened in; one document needs none, nor a second batch.
  const own = command.limit > 1 ? { session: scope.session() } : {};
  const options = { ...RAW_DOCUMENTS, ...own };
  const find = { find: collection, batchSize, ...command };
  const answer = await runRead(scope, ns, find, { raw: true, ...own });
  let batch = batchOf(answer);
  const isWhole = batch.next.isZero();
  try {
    while ((await take(batch.documents)) && !batch.next.isZero()) {
      scope.remainingMs();
      batch = batchOf(await database.command({ getMore: batch.next, collection, batchSize }, options));
    }
  } finally {
    // Also after an error: a cursor that is not closed lives for ten minutes.
    const kill = { killCursors: collection, cursors: [batch.next] };
    if (!batch.next.isZero()) await database.command(kill, options).catch(() => undefined);
  }
  return isWhole ? operationTimeOf(answer) : undefined;
}

/**
 * Rethrows the error of a read; `too-large` becomes `filter-too-large`, as a read sends nothing else that is large.
 */
export function rethrowFilterTooLarge(error: unknown): never {
  if (!(error instanceof StoreError) || error.reason !== 'too-large') throw error;
  throw new StoreError('filter-too-large', { cause: error.cause });
}
