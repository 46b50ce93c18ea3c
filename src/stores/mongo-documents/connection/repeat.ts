// Repeats what failed without harm: a server that just changed its role, or killed a query, answers the next time.
import { setTimeout as delay } from 'node:timers/promises';
import { MongoError, MongoServerError, MongoServerSelectionError, MongoWriteConcernError } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import { backOff, type Random } from '../../../lib/back-off.ts';
import { asFailure } from './failures.ts';
import type { Scope } from './types.ts';

/** How often the same is tried in all. */
const ATTEMPTS = 5;
/** Bounds of the pause before the next attempt, in milliseconds. */
const PAUSE = { first: 10, most: 200 };

/** Who is refused is refused again: Unauthorized, AuthenticationFailed, AtlasError. */
const FOR_GOOD: ReadonlySet<unknown> = new Set([13, 18, 8000]);
/** NetworkInterfaceExceededTimeLimit, ExceededTimeLimit: of the server, and not of whoever asked. */
const LIMITS_OF_THE_SERVER: ReadonlySet<unknown> = new Set([202, 262]);

/** LockTimeout, LockBusy, WriteConflict, ConflictingOperationInProgress, QueryPlanKilled: the command did nothing. */
const WITHOUT_EFFECT: ReadonlySet<unknown> = new Set([24, 46, 112, 117, 175]);

/** True for what may succeed when it is asked again at once. Takes what the driver threw. */
export function isPassing(error: unknown): boolean {
  if (error instanceof StoreError) return error.reason === 'failed';
  if (error instanceof MongoServerSelectionError) return false;
  if (error instanceof MongoError) {
    // It has waited as long as it may.
    if (error.name === 'MongoWaitQueueTimeoutError' || FOR_GOOD.has(error.code)) return false;
    if (LIMITS_OF_THE_SERVER.has(error.code)) return true;
  }
  const failure = asFailure(error);
  return failure instanceof StoreError && ['unavailable', 'failed', 'busy'].includes(failure.reason);
}

/** True for a write of one document that was refused before it did anything. Takes what the driver threw. */
export function isWithoutEffect(error: unknown): boolean {
  if (!(error instanceof MongoServerError) || error instanceof MongoWriteConcernError) return false;
  return WITHOUT_EFFECT.has(error.code);
}

interface Repetition {
  /** Whether what was thrown may be followed by another attempt. */
  readonly worthwhile: (error: unknown) => boolean;
  readonly random?: Random;
}

/** Does `work` again while what it throws is worthwhile, a few times at most and not beyond the deadline. */
export async function repeatedly<T>(
  scope: Pick<Scope, 'left'>,
  work: () => Promise<T>,
  { worthwhile, random = Math.random }: Repetition,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !worthwhile(error)) throw error;
    }
    scope.left();
    await delay(backOff(attempt - 1, PAUSE, random));
    scope.left();
  }
}

/** The same for work that only reads. */
export const repeatedRead = <T>(
  scope: Pick<Scope, 'left'>,
  work: () => Promise<T>,
  random?: Random,
): Promise<T> => repeatedly(scope, work, { worthwhile: isPassing, ...(random && { random }) });
