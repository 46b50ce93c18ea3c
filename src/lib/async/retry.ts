// Work that nobody waits for, done again after a while for as long as it comes to nothing.
import type { Pause } from './pause.ts';

const WAIT_MS = 2000;

interface RetrierOptions<T> {
  /** Resolves with false where it came to nothing for now. Must not reject. */
  readonly task: (item: T) => Promise<boolean>;
  readonly keyOf: (item: T) => string;
  /** Hears of an item once, however often it has to be done again. */
  readonly onRetry: (item: T) => void;
  readonly pause: Pause;
  /** Ends all waiting: what has come to nothing by then is left. */
  readonly signal: AbortSignal;
}

/** Gives the function that does the work. One whose key waits already is left to that one, which looks anew. */
export function createRetrier<T>({ task: work, keyOf, onRetry: onWait, pause, signal }: RetrierOptions<T>) {
  const waiting = new Set<string>();
  return async (item: T): Promise<void> => {
    const key = keyOf(item);
    if (waiting.has(key)) return;
    for (let isNew = true; !(await work(item)) && !signal.aborted && !waiting.has(key); isNew = false) {
      waiting.add(key);
      if (isNew) onWait(item);
      await pause(WAIT_MS, signal);
      waiting.delete(key);
      if (signal.aborted) return;
    }
  };
}
