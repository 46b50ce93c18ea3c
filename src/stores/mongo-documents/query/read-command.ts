// Sends commands that only read, and passes on their documents as bytes, batch by batch, without blocking the event loop.

import {
  type ClientSession,
  type CollationOptions,
  type Document,
  type FindOptions,
  type Long,
  Timestamp,
} from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { createYielder } from '../../../lib/async/maybe-promise.ts';
import type { Direction, Namespace } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';

/** Text of other programs need not be valid UTF-8. Commands do not inherit this from the client. */
export const ANY_TEXT = { enableUtf8Validation: false };

/** Documents of an answer come as bytes. Everything else, such as errors, is deserialized as usual. */
const RAW_DOCUMENTS = {
  ...ANY_TEXT,
  fieldsAsRaw: { firstBatch: true, nextBatch: true },
  promoteLongs: false,
};

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
  const options = { ...ANY_TEXT, ...(raw && RAW_DOCUMENTS), ...(session !== undefined && { session }) };
  return scope.database(ns.database).command(bounded, options);
}

/** Operation time: that of the last majority write to any collection; undefined if the server returns none. */
export function operationTimeOf(answer: Document): bigint | undefined {
  const time: unknown = answer['operationTime'];
  if (!(time instanceof Timestamp)) return undefined;
  return (BigInt(time.getHighBitsUnsigned()) << 32n) | BigInt(time.getLowBitsUnsigned());
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
type TakeDocuments = (documents: readonly Uint8Array[]) => Promise<boolean>;

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

/** A query to the server. */
export interface FindRequest {
  readonly ns: Namespace;
  readonly query: Document;
  readonly sort?: ReadonlyMap<string, Direction>;
  readonly skip?: number;
  readonly limit?: number;
  readonly fields?: Document | undefined;
}

/** Binary comparison, also for a collection that has a default collation. */
export const BINARY_COLLATION: CollationOptions = { locale: 'simple' };

const MAX_BATCH_SIZE = 100_000;
const SCAN_BATCH = 1000;

/**
 * Calls `take` with each document's bytes in order, until it returns false. Resolves with the time of the last write that
 * the majority had, where one answer of the server told all.
 */
export async function forEachDocument(
  scope: OperationScope,
  request: FindRequest,
  take: (bytes: Uint8Array) => boolean,
): Promise<bigint | undefined> {
  const handOver = createBatchConsumer(scope, take);
  const { limit } = request;
  // Only the router that began a query can continue it, which the driver's cursors take care of.
  if (limit !== undefined && limit < MAX_BATCH_SIZE && scope.deployment.kind !== 'sharded') {
    return readBatches(scope, request.ns, { filter: request.query, limit, ...findTerms(request) }, handOver);
  }
  const cursor = scope.collection(request.ns).find(request.query, optionsOf(scope, request));
  try {
    while (await cursor.hasNext()) {
      if (!(await handOver(cursor.readBufferedDocuments() as unknown as Uint8Array[]))) break;
    }
    return undefined;
  } finally {
    await cursor.close();
  }
}

/** Hands documents over one by one, with pauses for others where that takes long. */
function createBatchConsumer(scope: OperationScope, take: (bytes: Uint8Array) => boolean): TakeDocuments {
  const yieldIfDue = createYielder();
  return async (documents) => {
    for (const bytes of documents) {
      if (!take(bytes)) return false;
      const yielded = yieldIfDue();
      if (yielded === undefined) continue;
      await yielded;
      scope.remainingMs();
    }
    return true;
  };
}

function findTerms({ sort, skip, fields }: FindRequest) {
  return {
    collation: BINARY_COLLATION,
    ...(skip === undefined || skip === 0 ? {} : { skip }),
    ...(sort === undefined ? {} : { sort: new Map(sort), allowDiskUse: true }),
    ...(fields === undefined ? {} : { projection: fields }),
  };
}

function optionsOf(scope: OperationScope, request: FindRequest): FindOptions {
  const { limit } = request;
  return {
    raw: true,
    ...scope.readOptions(),
    batchSize: limit === undefined ? SCAN_BATCH : Math.min(limit + 1, MAX_BATCH_SIZE),
    ...findTerms(request),
    ...(limit === undefined ? {} : { limit }),
    ...scope.timeLimit(),
  };
}

/**
 * Matches every document, and makes the server count: without a condition it tells what it believes, which a crash leaves
 * wrong. Where ids have an index it is counted by that, and collections without one are read.
 */
const ANY_ID = { _id: { $nin: [] } };

/** How many documents the server finds, exactly, and the operation time of its answer. */
export async function countDocuments(
  scope: OperationScope,
  { ns, query }: Pick<FindRequest, 'ns' | 'query'>,
): Promise<{ readonly count: number; readonly time: bigint | undefined }> {
  const collection = scope.collection(ns);
  // On a cluster the count command includes documents that are migrating between shards.
  if (scope.deployment.kind === 'sharded') {
    const bounds = { collation: BINARY_COLLATION, ...scope.readOptions(), ...scope.timeLimit() };
    return { count: await collection.countDocuments(query, bounds), time: undefined };
  }
  const condition = Object.keys(query).length === 0 ? ANY_ID : query;
  const command = { count: collection.collectionName, query: condition, collation: BINARY_COLLATION };
  const answer = await runRead(scope, ns, command);
  return { count: Number(answer['n']), time: operationTimeOf(answer) };
}
