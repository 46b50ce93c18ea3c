// Time limits of outgoing requests: the timeout of the grant, and the end of the incoming request.
import { withAbort } from '../async/timeout.ts';
import { FetchFailedError, FetchRefusedError } from './fetch-errors.ts';

interface FetchTime {
  readonly timeoutMs: number;
  readonly aborted: AbortSignal;
}

/**
 * Runs `task` with a signal that is aborted with `aborted` or after the timeout. A failure after that rejects with a
 * FetchFailedError `timeout`.
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

/** Settles as `promise` does, or rejects with a FetchFailedError `timeout` as soon as `signal` is aborted. */
export function rejectOnAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return withAbort(promise, signal, () => new FetchFailedError('timeout'));
}
