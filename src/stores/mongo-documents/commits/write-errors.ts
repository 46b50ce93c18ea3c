// What the error of a write means: how many writes of the command were applied, which document was in an unexpected state, and
// the StoreError that names the write and its fields.

import { isDeepStrictEqual } from 'node:util';
import { type Document, type Filter, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { documentVersion } from '../../../lib/json/stored-json.ts';
import { assertUnambiguous } from '../../matching/ambiguous-paths.ts';
import { expandRows, parsePath } from '../../matching/paths.ts';
import type { StoredDocument, Write } from '../../ports.ts';
import { bsonToJson, parseBson, toBsonId } from '../bson/bson-conversion.ts';
import { driverErrorToStoreError } from '../connection/errors.ts';
import type { IndexCache, OperationScope } from '../connection/types.ts';
import { type WriteBatch, writtenId } from './write-operations.ts';

/** A write that failed. */
export interface FailedWrite {
  readonly error: unknown;
  readonly write: Write;
  /** Its position in the commit. */
  readonly index: number;
}

/** What is wrong with one write, and not with the server. */
const PER_WRITE_REASONS: ReadonlySet<StoreError['reason']> = new Set([
  'conflict',
  'duplicate',
  'parallel-arrays',
  'refused',
  'too-large',
]);

export type MapWriteError = (failedWrite: FailedWrite, scope: OperationScope) => Promise<StoreError>;

/** Makes StoreErrors that name the write. The server does not say which fields hold parallel arrays: the indexes do. */
export function createWriteErrorMapper(indexes: IndexCache): MapWriteError {
  return async ({ error, write, index }, scope) => {
    const { reason, fields, explanation, cause } = driverErrorToStoreError(error);
    const facts = { fields, cause, ...(explanation !== undefined && { explanation }) };
    if (!PER_WRITE_REASONS.has(reason)) return new StoreError(reason, facts);
    if (reason !== 'parallel-arrays' || write.kind === 'remove') {
      return new StoreError(reason, { index, ...facts });
    }
    const known = indexes.of(write.ns).map(({ definition }) => definition.keys.map(({ path }) => path));
    const declared = findUnindexable(write.document, known);
    if (declared !== undefined) return new StoreError(reason, { index, ...declared, cause });
    const foreign = await scope.collection(write.ns).indexes();
    const paths = foreign.map((one: Document) => Object.keys(one['key'] as Document));
    return new StoreError(reason, { index, ...findUnindexable(write.document, paths), cause });
  };
}

type Unindexable = Pick<StoreError, 'fields'> & { readonly explanation?: string };

/** The paths of the first index that a document does not fit in, because two of them hold lists, or one is ambiguous. */
export function findUnindexable(
  document: StoredDocument,
  indexes: readonly (readonly string[])[],
): Unindexable | undefined {
  for (const names of indexes) {
    const paths = names.map(parsePath);
    try {
      expandRows(document, paths);
      assertUnambiguous(document, paths);
    } catch (error) {
      if (!(error instanceof StoreError && error.reason === 'parallel-arrays')) throw error;
      const { fields, explanation } = error;
      return { fields, ...(explanation !== undefined && { explanation }) };
    }
  }
  return undefined;
}

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
