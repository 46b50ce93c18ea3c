// Retries operations after errors that pass: a new primary, a killed query, a broken connection.
import { MongoError, MongoServerError, MongoServerSelectionError, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors/errors.ts';
import { jitteredBackOff, type Random, retry } from '../../../lib/async/retry.ts';
import { toStoreErrorOrDefect } from './errors.ts';
import type { OperationScope } from './types.ts';

/** How often the same is tried in all. */
const MAX_ATTEMPTS = 5;
/** Bounds of the pause before the next attempt, in milliseconds. */
const BACK_OFF = { firstMs: 10, maxMs: 200 };

/** Rejected for good: Unauthorized, AuthenticationFailed, AtlasError. */
const PERMANENT_CODES: ReadonlySet<unknown> = new Set([13, 18, 8000]);
/** NetworkInterfaceExceededTimeLimit, ExceededTimeLimit: limits of the server, not of the caller. */
const SERVER_TIME_LIMITS: ReadonlySet<unknown> = new Set([202, 262]);

/** LockTimeout, LockBusy, WriteConflict, ConflictingOperationInProgress, QueryPlanKilled: the command did nothing. */
const UNAPPLIED_CODES: ReadonlySet<unknown> = new Set([24, 46, 112, 117, 175]);

/** Whether an operation that threw this driver error may succeed on the next attempt. */
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

/** Whether a write of one document was rejected before it had any effect. */
export function isUnappliedWrite(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  return UNAPPLIED_CODES.has(error.code);
}

interface StoreRetryOptions {
  /** Whether another attempt may follow this error. */
  readonly isRetryable: (error: unknown) => boolean;
  readonly random?: Random;
}

/** Runs `work` up to five times, as long as its errors are retryable and the deadline has not passed. */
export function retryOperation<T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  { isRetryable: shouldRetry, random }: StoreRetryOptions,
): Promise<T> {
  return retry(work, {
    shouldRetry,
    maxAttempts: MAX_ATTEMPTS,
    delayMs: (attempt) => jitteredBackOff(attempt, BACK_OFF, random),
    checkDeadline: () => void scope.remainingMs(),
  });
}

/** Retries an operation that only reads: any attempt may be repeated after a passing error. */
export const retryRead = <T>(
  scope: Pick<OperationScope, 'remainingMs'>,
  work: () => Promise<T>,
  random?: Random,
): Promise<T> => retryOperation(scope, work, { isRetryable, ...(random && { random }) });
