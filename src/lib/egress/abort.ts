// Time limits of fetches: a fetch ends with the request that made it, or at the time limit of its grant.
import { withAbort } from '../async/timeout.ts';
import { FetchFailedError, FetchRefusedError } from './fetch-errors.ts';

interface FetchTime {
  readonly timeoutMs: number;
  readonly aborted: AbortSignal;
}

/**
 * Runs `task` with a signal that is aborted with `aborted` or after `timeoutMs`. Errors after that become a FetchFailedError with
 * the reason `timeout`.
 */
export async function withFetchTimeout<T>(
  { timeoutMs, aborted }: FetchTime,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  aborted.addEventListener('abort', end);
  if (aborted.aborted) end();
  try {
    return await task(controller.signal);
  } catch (error) {
    if (error instanceof FetchRefusedError || !controller.signal.aborted) throw error;
    throw new FetchFailedError('timeout', error);
  } finally {
    clearTimeout(timer);
    aborted.removeEventListener('abort', end);
  }
}

/** Resolves or rejects as `promise` does, or rejects with a FetchFailedError when `signal` is aborted. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return withAbort(promise, signal, () => new FetchFailedError('timeout'));
}
