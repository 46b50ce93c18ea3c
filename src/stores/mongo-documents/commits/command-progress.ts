// Finds out how many writes of an interrupted command were applied, and which document was in an unexpected state.
import { isDeepStrictEqual } from 'node:util';
import { type Document, type Filter, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { documentVersion } from '../../../lib/document-version.ts';
import type { Write } from '../../ports.ts';
import { bsonToJson, parseBson } from '../bson/bson-to-json.ts';
import { toBsonId } from '../bson/json-to-bson.ts';
import type { OperationScope } from '../connection/types.ts';
import type { WriteBatch } from './batches.ts';
import { writtenId } from './write-operations.ts';

/**
 * LockTimeout, MaxTimeMSExpired, NetworkInterfaceExceededTimeLimit, CursorKilled, ExceededTimeLimit, ClientDisconnect,
 * Interrupted: the server is there, and has ended the command.
 */
const INTERRUPTED: ReadonlySet<unknown> = new Set([24, 50, 202, 237, 262, 279, 11601]);
const WRITE_CONCERN_FAILED = 64;

/** Codes of a server that goes away, or changes its role, in the middle of a command. */
const STEPPED_DOWN: ReadonlySet<unknown> = new Set([91, 189, 290, 355, 10107, 11600, 11602, 46841]);

/**
 * What an error says of a command: `nothing` of it was done, it came as far `as-found`, or that is `unknown`, and the
 * server may be gone.
 */
export type CommandProgress = 'nothing' | 'as-found' | 'unknown';

/** Takes a driver error. */
export function progressAfter(error: unknown): CommandProgress {
  if (error instanceof MongoWriteConcernError) {
    return INTERRUPTED.has(error.code) || error.code === WRITE_CONCERN_FAILED ? 'as-found' : 'unknown';
  }
  if (error instanceof MongoServerError) {
    if (INTERRUPTED.has(error.code)) return 'as-found';
    return STEPPED_DOWN.has(error.code) ? 'unknown' : 'nothing';
  }
  // It was never sent: no connection was free in time, or the driver could not write it out.
  const isWaiting = error instanceof Error && error.name === 'MongoWaitQueueTimeoutError';
  return isWaiting || error instanceof RangeError ? 'nothing' : 'unknown';
}

/**
 * How many of the inserts or updates of a batch, from the first, are done: up to the last whose document is in the
 * database just as the write leaves it. Rejects with what the driver throws.
 */
export async function findProgress(scope: OperationScope, { ns, writes }: WriteBatch): Promise<number> {
  const filter: Filter<Document> = {
    _id: { $in: writes.map((write) => toBsonId(writtenId(write))) as never[] },
  };
  const found = await scope.collection(ns).find(filter, { raw: true }).toArray();
  const stored = new Map(
    found.map((bytes) => {
      const document = JSON.parse(bsonToJson(bytes as unknown as Uint8Array));
      return [document._id, document];
    }),
  );
  const isDone = (write: Write) =>
    write.kind !== 'remove' && isDeepStrictEqual(stored.get(writtenId(write)), asStored(write.document));
  return writes.findLastIndex(isDone) + 1;
}

const asStored = (document: Document): unknown => JSON.parse(JSON.stringify(document));

/** The numbers of writes of the documents that are there, by their ids. */
export async function readVersions(
  scope: OperationScope,
  { ns, writes }: Pick<WriteBatch, 'ns' | 'writes'>,
): Promise<ReadonlyMap<string, number>> {
  const filter: Filter<Document> = {
    _id: { $in: writes.map((write) => toBsonId(writtenId(write))) as never[] },
  };
  const found = await scope
    .collection(ns)
    .find(filter, { projection: { v: 1 }, raw: true })
    .toArray();
  const documents = found.map((bytes) => parseBson(bytes as unknown as Uint8Array));
  return new Map(documents.map((document) => [document._id, documentVersion(document)]));
}

/** Position of the first update or removal whose document is gone or in another state; 0 where all are as expected. */
export async function firstStale(scope: OperationScope, batch: WriteBatch): Promise<number> {
  const versions = await readVersions(scope, batch);
  const isStale = (write: Write) => write.kind !== 'insert' && versions.get(write.id) !== write.v;
  return Math.max(batch.writes.findIndex(isStale), 0);
}
