// Commits several writes as one transaction, repeated after transient errors.
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, MongoServerError } from 'mongodb';
import { jitteredBackOff, type Random, retry } from '../../../lib/async/retry.ts';
import { namespaceKey, type Write } from '../../ports.ts';
import {
  isRetryable,
  isTransientTransactionError,
  isUnknownCommitResult,
  toStoreErrorOrDefect,
} from '../connection/errors.ts';
import type { OperationScope } from '../connection/types.ts';
import { sendBatch } from './write-commands.ts';
import { type FailedWrite, firstStale } from './write-errors.ts';
import { batchesOf } from './write-operations.ts';

/** Bounds of the delay before the next attempt. */
const BACK_OFF = { firstMs: 5, maxMs: 200 };

/** Attempts in all after errors that the server does not label as transient. */
const MAX_ATTEMPTS = 5;

/**
 * Applies all writes or none. Resolves with the write that failed, if any. Rejects with `timeout`, or with what the driver
 * throws; nothing is applied then, unless the commit itself stayed without an answer until the deadline.
 */
export async function writeInTransaction(
  scope: OperationScope,
  writes: readonly Write[],
  random: Random,
): Promise<FailedWrite | undefined> {
  const session = scope.session();
  let hasCreatedCollections = false;
  let failures = 0;
  const attempt = async (): Promise<FailedWrite | undefined> => {
    try {
      return await runTransaction(scope, session, writes);
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      if (!isCollectionCreationError(error) || hasCreatedCollections) throw error;
      hasCreatedCollections = true;
      await createCollections(scope, writes).catch((cause: unknown) => {
        throw new CreationFailed(cause);
      });
      throw new CollectionsCreated();
    }
  };
  const result = retry(attempt, {
    shouldRetry(error) {
      if (error instanceof CreationFailed) return false;
      if (error instanceof CollectionsCreated || isTransientTransactionError(error)) return true;
      // Nothing is applied before the commit, and errors of the commit that leave this open are no driver errors.
      failures += 1;
      return isRetryable(error) && failures < MAX_ATTEMPTS;
    },
    delayMs: (number) => jitteredBackOff(number, BACK_OFF, random),
    checkDeadline: () => void scope.remainingMs(),
  });
  return result.catch((error: unknown) => {
    throw error instanceof CreationFailed ? error.cause : error;
  });
}

/** Carries the error of creating collections, which ends the attempts. */
class CreationFailed extends Error {
  constructor(cause: unknown) {
    super('could not create the collections', { cause });
  }
}

/** Thrown to repeat a transaction after the collections that it needs were created outside of it. */
class CollectionsCreated extends Error {}

async function runTransaction(scope: OperationScope, session: ClientSession, writes: readonly Write[]) {
  session.startTransaction({
    readConcern: { level: 'local' },
    writeConcern: { w: 'majority', journal: true },
    ...commitTimeLimit(scope),
  });
  for (const batch of batchesOf(writes)) {
    const sending = { session, ...scope.timeLimit() };
    const { failure } = await sendBatch(scope, batch, sending).catch((error: unknown) => {
      // A command that is too large to be sent has a single write.
      return { failure: { at: 0, error } };
    });
    if (failure === undefined) continue;
    const { error } = failure;
    if (isTransientTransactionError(error) || isCollectionCreationError(error) || isRetryable(error))
      throw error;
    await session.abortTransaction().catch(() => undefined);
    const at = failure.at ?? (await firstStale(scope, batch));
    const write = batch.writes[at] as Write;
    return { error, write, index: batch.first + at };
  }
  await commitTransaction(scope, session);
  scope.acknowledged(session);
  return undefined;
}

/** Without it a commit that waits for lagging members would continue after the caller has given up. */
function commitTimeLimit(scope: OperationScope): { readonly maxCommitTimeMS?: number } {
  const maxCommitTimeMS = scope.remainingMs();
  return maxCommitTimeMS === undefined ? {} : { maxCommitTimeMS };
}

/** OperationNotSupportedInTransaction: a cluster creates no collections in a transaction that writes to several shards. */
function isCollectionCreationError(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === 263;
}

const NAMESPACE_EXISTS = 48;

async function createCollections(scope: OperationScope, writes: readonly Write[]): Promise<void> {
  const spaces = new Map(writes.map(({ ns }) => [namespaceKey(ns), ns]));
  for (const ns of spaces.values()) {
    const { dbName, collectionName } = scope.collection(ns);
    await scope.client
      .db(dbName)
      .createCollection(collectionName)
      .catch((error: unknown) => {
        if (!(error instanceof MongoServerError && error.code === NAMESPACE_EXISTS)) throw error;
      });
  }
}

/**
 * Sends the commit again while its result is unknown, which is safe: a transaction commits once. Throws a driver error only
 * if nothing was applied, and a StoreError if that is unknown.
 */
async function commitTransaction(scope: OperationScope, session: ClientSession): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (isTransientTransactionError(error)) throw error;
      if (!isUnknownCommitResult(error) && (!isRetryable(error) || attempt >= MAX_ATTEMPTS))
        throw toStoreErrorOrDefect(error);
    }
    scope.remainingMs();
    await delay(BACK_OFF.firstMs);
  }
}
