// Retries with growing, random pauses.

import { setTimeout } from 'node:timers/promises';

/** Resolves after so many milliseconds, or as soon as the signal is aborted. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Waits for real time. It does not keep the process alive. */
export const pause: Pause = async (milliseconds, signal) => {
  try {
    await setTimeout(milliseconds, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const RETRY_MS = 2000;

interface RetrierOptions<T> {
  /** Resolves with false if it must be retried. Must not reject. */
  readonly task: (item: T) => Promise<boolean>;
  readonly keyOf: (item: T) => string;
  /** Called once per item, however often it is retried. */
  readonly onRetry: (item: T) => void;
  readonly pause: Pause;
  /** Ends all retries. */
  readonly signal: AbortSignal;
}

/** Creates a background task that is retried every 2 s until it succeeds. At most one retry per key is pending. */
export function createRetrier<T>({ task, keyOf, onRetry, pause, signal }: RetrierOptions<T>) {
  const waiting = new Set<string>();
  return async (item: T): Promise<void> => {
    const key = keyOf(item);
    if (waiting.has(key)) return;
    for (let isNew = true; !(await task(item)) && !signal.aborted && !waiting.has(key); isNew = false) {
      waiting.add(key);
      if (isNew) onRetry(item);
      await pause(RETRY_MS, signal);
      waiting.delete(key);
      if (signal.aborted) return;
    }
  };
}

/** A number from 0 up to 1. */
export type Random = () => number;

export interface BackOffBounds {
  /** The longest wait before the second attempt, in milliseconds. */
  readonly firstMs: number;
  /** The longest wait before any attempt, in milliseconds. */
  readonly maxMs: number;
}

/**
 * Milliseconds to wait after a failed attempt, counted from 1: random, below a bound that doubles with each attempt
 * ("full jitter", https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), so that callers that lost the
 * same race do not meet again.
 */
export function jitteredBackOff(
  attempt: number,
  { firstMs, maxMs }: BackOffBounds,
  random: Random = Math.random,
): number {
  return random() * Math.min(firstMs * 2 ** (attempt - 1), maxMs);
}

export interface RetryOptions {
  /** Whether another attempt may follow this error. `attempt` is the number of the failed one, from 1. */
  readonly shouldRetry: (error: unknown, attempt: number) => boolean;
  /** Attempts in all. Default: no limit. */
  readonly maxAttempts?: number;
  /** Milliseconds to wait after the failed attempt of this number. Default: the next attempt follows at once. */
  readonly delayMs?: (attempt: number) => number;
  /** Called before and after each wait. What it throws ends the retries and is what the caller gets. */
  readonly checkDeadline?: () => void;
}

/** Runs `task` until it succeeds. Rejects with the error of the last attempt once no other may follow. */
export async function retry<T>(task: (attempt: number) => T | Promise<T>, options: RetryOptions): Promise<T> {
  const { shouldRetry, maxAttempts = Number.POSITIVE_INFINITY, delayMs, checkDeadline } = options;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task(attempt);
    } catch (error) {
      if (attempt >= maxAttempts || !shouldRetry(error, attempt)) throw error;
    }
    checkDeadline?.();
    const wait = delayMs?.(attempt) ?? 0;
    if (wait > 0) await setTimeout(wait);
    checkDeadline?.();
  }
}
