// Runs a query and passes on its documents as bytes, batch by batch, without blocking the event loop.
import type { CollationOptions, Document, FindOptions } from 'mongodb';
import { createYielder } from '../../../lib/async/yielding.ts';
import type { Direction, Namespace } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { operationTimeOf, readBatches, runRead, type TakeDocuments } from './read-command.ts';

/** A query to the server. */
export interface FindRequest {
  readonly ns: Namespace;
  readonly query: Document;
  readonly sort?: ReadonlyMap<string, Direction>;
  readonly skip?: number;
  readonly limit?: number;
  readonly fields?: Document | undefined;
  readonly collation?: CollationOptions;
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

function findTerms({ sort, skip, fields, collation = BINARY_COLLATION }: FindRequest) {
  return {
    collation,
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

type CountRequest = Pick<FindRequest, 'ns' | 'query' | 'limit' | 'collation'>;

/** How many documents the server finds, exactly, but no more than `limit`. */
export async function countDocuments(scope: OperationScope, counting: CountRequest): Promise<number> {
  return (await countDocumentsAt(scope, counting)).count;
}

/** The same with the time of the answer, as `readRows` has it. */
export async function countDocumentsAt(
  scope: OperationScope,
  { ns, query, limit, collation = BINARY_COLLATION }: CountRequest,
): Promise<{ readonly count: number; readonly time: bigint | undefined }> {
  const collection = scope.collection(ns);
  const limitOption = limit === undefined ? {} : { limit };
  // On a cluster the count command includes documents that are migrating between shards.
  if (scope.deployment.kind === 'sharded') {
    const bounds = {
      ...limitOption,
      collation,
      ...scope.readOptions(),
      ...scope.timeLimit(),
    };
    return { count: await collection.countDocuments(query, bounds), time: undefined };
  }
  const condition = Object.keys(query).length === 0 ? ANY_ID : query;
  const command = { count: collection.collectionName, query: condition, collation, ...limitOption };
  const answer = await runRead(scope, ns, command);
  return { count: Number(answer['n']), time: operationTimeOf(answer) };
}
