// Sends writes as commands: a batch of them, or a single one, which the driver retries after a failover.
import {
  type ClientSession,
  type Collection,
  type DeleteOptions,
  type Document,
  MongoServerError,
} from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Namespace, Write } from '../../ports.ts';
import { toBson } from '../bson/bson-conversion.ts';
import type { OperationScope } from '../connection/types.ts';
import {
  guardedFilter,
  STALE,
  stateFilter,
  updateOperation,
  type WriteBatch,
  writeOperation,
} from './write-operations.ts';

/** What writes outside of a transaction wait for. */
const DURABLE = { w: 'majority', j: true };

/** For one that others follow: the journal is one sequence, so that waiting for the last of them is waiting for all. */
export const UNJOURNALED = { w: 1, j: false };

/** How a batch is sent. */
export interface CommandOptions {
  /** Of the transaction, where there is one. */
  readonly session?: ClientSession;
  /** Milliseconds. */
  readonly maxTimeMS?: number;
  /** Another command of the same commit follows, on a server without transactions. */
  readonly isFollowed?: boolean;
}

/** How far a command came. */
export interface BatchResult {
  /** How many of its writes, from the first, are done. Those of documents that are gone count. */
  readonly done: number;
  /** `at` is undefined where documents are gone or in another state, and the server does not say which. */
  readonly failure?: { readonly at: number | undefined; readonly error: unknown };
}

/**
 * Applies the writes of a batch in order, up to the first that fails. Rejects if the server does not say how
 * far it came: then any first part of them may be done. The driver's own bulk write hides the keys of a broken index.
 */
export async function sendBatch(
  scope: OperationScope,
  batch: WriteBatch,
  sending: CommandOptions,
): Promise<BatchResult> {
  const answer = await runWriteCommand(
    scope,
    { ns: batch.ns, commandFor: batchCommand(batch, sending) },
    sending,
  );
  const [failed] = (answer['writeErrors'] ?? []) as readonly Document[];
  if (failed !== undefined) {
    const at = failed['index'] as number;
    return { done: at, failure: { at, error: writeError(failed) } };
  }
  const done = batch.writes.length;
  return answer['n'] === done
    ? { done }
    : { done, failure: { at: undefined, error: new StoreError('conflict') } };
}

interface Command {
  readonly ns: Namespace;
  /** The command, given the name of the collection. */
  readonly commandFor: (collection: string) => Document;
}

/** Runs a write command on a collection. Rejects with driver errors, also with a write concern error. */
export async function runWriteCommand(
  scope: OperationScope,
  { ns, commandFor }: Command,
  { session, maxTimeMS, isFollowed = false }: CommandOptions,
): Promise<Document> {
  const { collectionName, dbName } = scope.collection(ns);
  const command = {
    ...commandFor(collectionName),
    ...(session === undefined && { writeConcern: isFollowed ? UNJOURNALED : DURABLE }),
    ...(maxTimeMS !== undefined && { maxTimeMS }),
  };
  const answer = await scope.client
    .db(dbName)
    .command(command, { enableUtf8Validation: false, ...(session && { session }) });
  const doubt: Document | undefined = answer['writeConcernError'];
  if (doubt !== undefined) throw new MongoServerError({ ...doubt, message: doubt['errmsg'] });
  return answer;
}

const COMMAND_NAMES = {
  insert: ['insert', 'documents'],
  update: ['update', 'updates'],
  remove: ['delete', 'deletes'],
} as const;

function batchCommand(
  { kind, writes }: WriteBatch,
  { session }: CommandOptions,
): (collection: string) => Document {
  const [verb, list] = COMMAND_NAMES[kind];
  // In a transaction the writes after a stale document are rolled back anyway.
  const statements = writes.map((write) =>
    writeOperation(write, session === undefined ? guardedFilter : stateFilter),
  );
  return (collection) => ({ [verb]: collection, ordered: true, [list]: statements });
}

function writeError(failed: Document): Error {
  if (failed['code'] === STALE) return new StoreError('conflict');
  return new MongoServerError({ ...failed, message: failed['errmsg'] });
}

/** Time limit on the server, and a write concern other than the default. */
type SingleWriteOptions = Pick<DeleteOptions, 'maxTimeMS' | 'writeConcern' | 'session'>;

/** Rejects with `conflict`, or with a driver error. */
export async function writeOne(
  scope: OperationScope,
  write: Write,
  sending: SingleWriteOptions,
): Promise<void> {
  if ((await matchedCount(scope.collection(write.ns), write, sending)) !== 1)
    throw new StoreError('conflict');
}

async function matchedCount(
  collection: Collection,
  write: Write,
  options: SingleWriteOptions,
): Promise<number> {
  if (write.kind === 'insert') {
    await collection.insertOne(toBson(write.document), options);
    return 1;
  }
  const filter = stateFilter(write.id, write.v);
  if (write.kind === 'remove') return (await collection.deleteOne(filter, options)).deletedCount;
  return (await collection.updateOne(filter, updateOperation(write), options)).matchedCount;
}
