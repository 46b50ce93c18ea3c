// Several writes as one transaction, again and again while others get in between.
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientSession, MongoServerError } from 'mongodb';
import { backOff, type Random } from '../../../lib/async/back-off.ts';
import type { Write } from '../../ports.ts';
import {
  isTransientTransactionError,
  isUnknownCommitResult,
  toStoreErrorOrDefect,
} from '../connection/errors.ts';
import { namespaceKey } from '../connection/namespaces.ts';
import { isRetryable } from '../connection/retry.ts';
import type { OperationScope } from '../connection/types.ts';
import { sendBatch } from './batch-command.ts';
import { batchesOf } from './batches.ts';
import { firstStale } from './document-versions.ts';
import type { FailedWrite } from './write-errors.ts';

/** Bounds of the pause before the next attempt, in milliseconds. */
const BACK_OFF = { first: 5, most: 200 };

/** How often in all what fails is tried, or a commit asked for, where the server does not say that it is worth it. */
const MAX_ATTEMPTS = 5;

/**
 * Applies all writes or none; returns the one that was refused, if any. Rejects with `timeout`, or with what the driver
 * throws. Nothing is applied then, unless it was the commit itself that stayed without an answer until the deadline.
 */
export async function writeInTransaction(
  scope: OperationScope,
  writes: readonly Write[],
  random: Random,
): Promise<FailedWrite | undefined> {
  const session = scope.session();
  let created = false;
  let failures = 0;
  for (let round = 0; ; round += 1) {
    try {
      return await runTransaction(scope, session, writes);
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      if (isCollectionCreationError(error) && !created) {
        await createCollections(scope, writes);
        created = true;
      } else if (!isTransientTransactionError(error)) {
        failures += 1;
        // Nothing is applied before the commit, and what that throws is passed on.
        if (!isRetryable(error) || failures === MAX_ATTEMPTS) throw error;
      }
    }
    scope.remainingMs();
    await delay(backOff(round, BACK_OFF, random));
    scope.remainingMs();
  }
}

async function runTransaction(scope: OperationScope, session: ClientSession, writes: readonly Write[]) {
  session.startTransaction({
    readConcern: { level: 'local' },
    writeConcern: { w: 'majority', journal: true },
    ...commitTimeLimit(scope),
  });
  for (const batch of batchesOf(writes)) {
    const sending = { session, ...scope.timeLimit() };
    const { failure } = await sendBatch(scope, batch, sending).catch((error: unknown) => {
      // Too large to be sent: then it stands alone.
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

/** A commit that waits for members which lag would go on waiting when nobody listens any more. */
function commitTimeLimit(scope: OperationScope): { readonly maxCommitTimeMS?: number } {
  const left = scope.remainingMs();
  return left === undefined ? {} : { maxCommitTimeMS: left };
}

/** A cluster makes no collections in a transaction that writes to several shards: OperationNotSupportedInTransaction. */
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
 * Commits. An answer that got lost, or says nothing of what became of the commit, is asked for again: committing twice
 * does no harm. Throws what the driver throws only where nothing is applied, and a StoreError where nobody knows.
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
    await delay(BACK_OFF.first);
  }
}
