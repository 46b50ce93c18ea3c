// Commits several writes on a server without transactions: one command after the other, rolled back if one fails.
import { type Collection, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import { namespaceKey, type Write } from '../../ports.ts';
import { retryRead, toStoreErrorOrDefect } from '../connection/errors.ts';
import type { OperationScope } from '../connection/types.ts';
import { type AppliedWrites, type BeforeImages, readBeforeImages, rollBackWrites } from './rollback.ts';
import { type BatchResult, sendBatch, UNJOURNALED, writeOne } from './write-commands.ts';
import { type FailedWrite, findProgress, firstStale, progressAfter } from './write-errors.ts';
import { batchesOf, type WriteBatch } from './write-operations.ts';

/** How many removals are on their way at once. */
const MAX_CONCURRENT_REMOVALS = 16;

interface RollbackJournal {
  readonly images: BeforeImages;
  /** Writes that are known to be applied. */
  readonly done: AppliedWrites[];
  readonly log: Pick<Logger, 'error'>;
}

/**
 * Applies the writes in order, all or none: every expected version is checked before the first, and applied writes are
 * rolled back if one fails. Resolves with the failed write. Readers may see a part of the writes meanwhile. Rejects with
 * `timeout` at the deadline, with nothing left applied.
 * If the server stops answering, the writes up to an unknown point stay: a rollback might remove a document that a later
 * write refers to.
 */
export async function writeWithoutTransaction(
  limited: OperationScope,
  writes: readonly Write[],
  log: Pick<Logger, 'error'>,
): Promise<FailedWrite | undefined> {
  const images = await retryRead(limited, () => readBeforeImages(limited, writes));
  const scope = withoutDeadline(limited, writes);
  const journal: RollbackJournal = { images, done: [], log };
  for (const batch of batchesOf(writes)) {
    const limit = remainingLimit(scope);
    if (limit === undefined) return rollBackAll(scope, journal, undefined);
    const isFollowed = batch.first + batch.writes.length < writes.length;
    const outcome = await applyBatch(scope, { batch, isFollowed, limit }, journal);
    if (outcome === undefined) continue;
    const at = outcome.at ?? (await firstStale(scope, batch));
    const failedWrite = { error: outcome.error, write: batch.writes[at] as Write, index: batch.first + at };
    return rollBackAll(scope, journal, failedWrite);
  }
  // The caller has been told that nothing was written.
  return remainingLimit(scope) === undefined ? rollBackAll(scope, journal, undefined) : undefined;
}

/** A scope that still returns the collections of the writes after the deadline, for the rollback. */
function withoutDeadline(scope: OperationScope, writes: readonly Write[]): OperationScope {
  const collections = new Map<string, Collection>();
  for (const { ns } of writes) {
    const key = namespaceKey(ns);
    if (!collections.has(key)) collections.set(key, scope.collection(ns));
  }
  return { ...scope, collection: (ns) => collections.get(namespaceKey(ns)) ?? scope.collection(ns) };
}

/** The time limit of the next command; undefined after the deadline. */
function remainingLimit(scope: OperationScope): ReturnType<OperationScope['timeLimit']> | undefined {
  try {
    return scope.timeLimit();
  } catch {
    return undefined;
  }
}

interface BatchStep {
  readonly batch: WriteBatch;
  /** More batches of the commit follow. */
  readonly isFollowed: boolean;
  readonly limit: ReturnType<OperationScope['timeLimit']>;
}

/** Applies a batch and adds what was applied to the journal. */
async function applyBatch(
  scope: OperationScope,
  step: BatchStep,
  { done }: RollbackJournal,
): Promise<BatchResult['failure']> {
  const { batch, isFollowed, limit } = step;
  const { kind, ns, writes } = batch;
  if (kind === 'remove') return removeOneByOne(scope, step, done);
  const note = (count: number) =>
    done.push({ kind, ns, writes: writes.slice(0, count).filter(needsRollback) });
  try {
    const outcome = await sendBatch(scope, batch, { isFollowed, ...limit });
    note(outcome.done);
    return outcome.failure;
  } catch (error) {
    const progress = progressAfter(error);
    if (progress === 'nothing') return { at: 0, error };
    const count =
      progress === 'unknown' ? undefined : await findProgress(scope, batch).catch(() => undefined);
    if (count === undefined) throw error;
    note(count);
    return { at: Math.min(count, writes.length - 1), error };
  }
}

const needsRollback = (write: Write) => write.kind !== 'insert' || write.keepOnRollback !== true;

/**
 * One command for each, several at once: no order matters among them, and a command for many would not say which ones
 * somebody else had removed, which must not come back.
 */
async function removeOneByOne(
  scope: OperationScope,
  step: BatchStep,
  done: AppliedWrites[],
): Promise<BatchResult['failure']> {
  const { kind, ns, writes } = step.batch;
  for (let first = 0; first < writes.length; first += MAX_CONCURRENT_REMOVALS) {
    const some = writes.slice(first, first + MAX_CONCURRENT_REMOVALS);
    const isFollowed = step.isFollowed || first + MAX_CONCURRENT_REMOVALS < writes.length;
    const sending = { ...step.limit, ...(isFollowed && { writeConcern: UNJOURNALED }) };
    const results = await Promise.allSettled(some.map((write) => writeOne(scope, write, sending)));
    done.push({ kind, ns, writes: some.filter((_, at) => wasRemoved(results[at])) });
    const failures = results.flatMap((result, at) =>
      result.status === 'rejected' ? [{ at: first + at, error: result.reason as unknown }] : [],
    );
    const unknown = failures.find(
      ({ error }) => !(error instanceof StoreError) && progressAfter(error) === 'unknown',
    );
    if (unknown !== undefined) throw unknown.error;
    if (failures[0] !== undefined) return failures[0];
  }
  return undefined;
}

/** One that only waited in vain for the journal is done; of one document nothing else is done by half. */
function wasRemoved(result: PromiseSettledResult<void> | undefined): boolean {
  if (result?.status !== 'rejected') return true;
  return result.reason instanceof MongoWriteConcernError;
}

async function rollBackAll(
  scope: OperationScope,
  { images, done, log }: RollbackJournal,
  failedWrite: FailedWrite | undefined,
) {
  try {
    for (const { ns, ids } of await rollBackWrites(scope, done, images)) {
      log.error({ ns, ids }, 'rollback skipped documents that were changed meanwhile');
    }
  } catch (error) {
    const written = done.map(({ ns, writes }) => ({ ns, count: writes.length }));
    log.error({ err: toStoreErrorOrDefect(error), written }, 'rollback of a failed write failed');
  }
  if (failedWrite === undefined) throw new StoreError('timeout');
  return failedWrite;
}
