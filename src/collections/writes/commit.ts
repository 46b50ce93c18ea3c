// Commits of planned writes: one at a time per document, retried after a conflict, with errors that a client understands.
import { setTimeout as pause } from 'node:timers/promises';
import { AppError, StoreError } from '../../errors/errors.ts';
import { documentIssueOf } from '../../errors/store-errors.ts';
import { jitteredBackOff } from '../../lib/async/retry.ts';
import type { Collection } from '../model/collection.ts';
import type { RequestContext } from '../model/documents.ts';
import { ExtraWriteError } from '../model/extra-write-error.ts';
import { documentKey } from '../model/registry.ts';
import { BODY_ORIGIN, indexMember, type WriteOrigin } from '../validation/issue-position.ts';
import type { WriteDeps } from './write-deps.ts';
import type { FinishedPlan, WritePlan } from './write-plan.ts';

const MAX_ATTEMPTS = 30;
/** Attempts that follow each other without a pause. */
const IMMEDIATE_ATTEMPTS = 3;
/** Bounds of the random pauses after that, in milliseconds. */
const BACK_OFF = { firstMs: 4, maxMs: 100 };

/**
 * Runs a write of one document after the earlier ones. A write that posted code asks for does not wait: its hook may belong
 * to the write that holds the lock. Should they meet, the later commit is a conflict and retried.
 */
export function withDocumentLock<T>(
  { locks }: Pick<WriteDeps, 'locks'>,
  { collection, id }: { readonly collection: Pick<Collection, 'namespace'>; readonly id: string },
  { depth = 0 }: Pick<RequestContext, 'depth'>,
  task: () => Promise<T>,
): Promise<T> {
  return depth > 0 ? task() : locks.withLock(documentKey(collection.namespace, id), task);
}

/**
 * Commits the writes of the plan and emits its after-hook events. Throws DOCUMENT_INVALID, PAYLOAD_TOO_LARGE, and an
 * ExtraWriteError where an extra write is rejected; rejects with a StoreError `conflict` where another write came first.
 */
export async function commitPlan(
  { store, hooks }: Pick<WriteDeps, 'store' | 'hooks'>,
  plan: WritePlan,
  context: RequestContext,
): Promise<FinishedPlan> {
  const finished = await plan.finish();
  try {
    await store.commit(finished.writes, { deadline: context.deadline });
  } catch (error) {
    throw translateCommitError(error, finished.origins);
  }
  if (finished.afterHookEvents.length > 0) hooks.runAfterHooks(finished.afterHookEvents, context);
  return finished;
}

/**
 * Translates the rejection of a document by the store into an error for the client. `origins` runs beside the writes of
 * the commit. Other errors are returned as they are.
 */
export function translateCommitError(error: unknown, origins: readonly WriteOrigin[]): unknown {
  if (!(error instanceof StoreError)) return error;
  const origin = origins[error.index ?? -1] ?? BODY_ORIGIN;
  if (origin.extraWrite !== undefined) return new ExtraWriteError(error, origin.extraWrite);
  if (error.reason === 'too-large') return new AppError('PAYLOAD_TOO_LARGE', { cause: error });
  const issue = documentIssueOf(error.reason);
  if (issue === undefined || (error.fields.length === 0 && error.reason !== 'refused')) return error;
  const positioned = { ...issue, ...indexMember(origin) };
  const items =
    error.fields.length === 0
      ? [
          {
            ...positioned,
            message: error.explanation ?? 'The database takes no such write to this collection',
          },
        ]
      : error.fields.map((field) => ({ field: `${origin.prefix}${field}`, ...positioned }));
  return new AppError('DOCUMENT_INVALID', { items, cause: error });
}

/** The caller computed its extra writes itself: a conflict about one of them is not retried here. */
const isConflict = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.reason === 'conflict' && !(error instanceof ExtraWriteError);

/**
 * Runs an attempt, which reads and commits what it computed from that, again after a conflict: up to 30 times and not after
 * the deadline. Throws STORE_BUSY then.
 */
export async function commitWithRetry<T>(
  attempt: () => Promise<T>,
  { context, now }: { readonly context: Pick<RequestContext, 'deadline'>; readonly now: () => number },
): Promise<T> {
  for (let round = 1; ; round += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (round === MAX_ATTEMPTS || now() > context.deadline) {
        const message = 'Too many others are writing the same documents';
        throw new AppError('STORE_BUSY', { message, retryAfter: 1, cause: error });
      }
    }
    if (round >= IMMEDIATE_ATTEMPTS) await pause(jitteredBackOff(round - IMMEDIATE_ATTEMPTS + 1, BACK_OFF));
  }
}
