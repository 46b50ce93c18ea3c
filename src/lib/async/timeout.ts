// Time limits on promises. None of these functions cancels the work: it goes on, and its late result is dropped.
import { onceAborted } from './ownership.ts';

/** The longest delay that a Node timer accepts, in milliseconds. It fires after 1 ms for a longer one. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Bounds a delay to what a timer takes, and MongoDB as `maxTimeMS`, which has as many bits. */
export function clampDelay(milliseconds: number): number {
  return Math.max(0, Math.min(milliseconds, MAX_DELAY_MS));
}

/** Resolves or rejects as `work` does, or rejects with `createError()` after `timeoutMs`. `Infinity` sets no limit. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, createError: () => Error): Promise<T> {
  if (timeoutMs === Number.POSITIVE_INFINITY) return work;
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(createError()), clampDelay(timeoutMs));
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      outcome();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** The value of `work` in an object, or undefined after `timeoutMs`. Rejects if `work` does so earlier. */
export async function settleWithin<T>(
  work: Promise<T>,
  timeoutMs: number,
): Promise<{ readonly value: T } | undefined> {
  const { promise: timeout, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, clampDelay(timeoutMs), undefined);
  return Promise.race([work.then((value) => ({ value })), timeout]).finally(() => clearTimeout(timer));
}

/** Resolves or rejects as `work` does, or rejects with `createError()` as soon as `signal` is aborted. */
export async function waitUnlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  createError: () => Error,
): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const ignoreAbort = onceAborted(signal, () => reject(createError()));
  return Promise.race([work, aborted]).finally(ignoreAbort);
}
