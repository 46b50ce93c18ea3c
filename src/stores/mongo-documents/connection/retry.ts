// Repeats what failed without harm: a server that just changed its role, or killed a query, answers the next time.
import { setTimeout as delay } from 'node:timers/promises';
import { MongoError, MongoServerError, MongoServerSelectionError, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import { backOff, type Random } from '../../../lib/async/back-off.ts';
import { toStoreErrorOrDefect } from './errors.ts';
import type { OperationScope } from './types.ts';

/** How often the same is tried in all. */
const MAX_ATTEMPTS = 5;
/** Bounds of the pause before the next attempt, in milliseconds. */
const BACK_OFF = { first: 10, most: 200 };

/** Who is refused is refused again: Unauthorized, AuthenticationFailed, AtlasError. */
const PERMANENT_CODES: ReadonlySet<unknown> = new Set([13, 18, 8000]);
/** NetworkInterfaceExceededTimeLimit, ExceededTimeLimit: of the server, and not of whoever asked. */
const SERVER_TIME_LIMITS: ReadonlySet<unknown> = new Set([202, 262]);

/** LockTimeout, LockBusy, WriteConflict, ConflictingOperationInProgress, QueryPlanKilled: the command did nothing. */
const UNAPPLIED_CODES: ReadonlySet<unknown> = new Set([24, 46, 112, 117, 175]);

/** True for what may succeed when it is asked again at once. Takes what the driver threw. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof StoreError) return error.reason === 'failed';
  if (error instanceof MongoServerSelectionError) return false;
  if (error instanceof MongoError) {
    // It has waited as long as it may.
    if (error.name === 'MongoWaitQueueTimeoutError' || PERMANENT_CODES.has(error.code)) return false;
    if (SERVER_TIME_LIMITS.has(error.code)) return true;
  }
  const failure = toStoreErrorOrDefect(error);
  return failure instanceof StoreError && ['unavailable', 'failed', 'busy'].includes(failure.reason);
}

/** True for a write of one document that was refused before it did anything. Takes what the driver threw. */
export function isUnappliedWrite(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  return UNAPPLIED_CODES.has(error.code);
}

interface RetryOptions {
  /** Whether what was thrown may be followed by another attempt. */
  readonly isRetryable: (error: unknown) => boolean;
  readonly random?: Random;
}

/** Does `work` again while what it throws is worthwhile, a few times at most and not beyond the deadline. */
export async function retry<T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  { isRetryable: worthwhile, random = Math.random }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !worthwhile(error)) throw error;
    }
    scope.remainingMs();
    await delay(backOff(attempt - 1, BACK_OFF, random));
    scope.remainingMs();
  }
}

/** The same for work that only reads. */
export const retryRead = <T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  random?: Random,
): Promise<T> => retry(scope, work, { isRetryable: isRetryable, ...(random && { random }) });
