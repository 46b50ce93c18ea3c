// Limits what is in use at the same time: a concurrent map, a semaphore, a mutex for each key, and a quota of bytes.
import { Permits } from './permits.ts';

/**
 * Maps all items, at most `maxConcurrent` at the same time, with results in the order of the items. Rejects with the first error
 * and starts nothing more; the results of tasks that are still running are dropped.
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  maxConcurrent: number,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        results[index] = await map(items[index] as T, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, work));
  return results;
}

export interface KeyedMutex {
  /** Runs `task` once every earlier task of `key` has settled. A failed task does not stop the next. */
  withLock<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async withLock(key, task) {
      const before = tails.get(key);
      const result = before === undefined ? task() : before.then(task, task);
      tails.set(key, result);
      try {
        return await result;
      } finally {
        if (tails.get(key) === result) tails.delete(key);
      }
    },
  };
}

/** Runs a task as soon as a permit is free, in order of the calls. Settles as the task does. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a semaphore with this many permits. */
export function createSemaphore(permits: number): Semaphore {
  const held = new Permits({ permits });
  return async (task) => {
    // Begins at once where a permit is free.
    const turn = held.acquire();
    if (turn !== undefined) await turn;
    try {
      return await task();
    } finally {
      held.release();
    }
  };
}

export interface ByteQuota {
  /** Adds bytes in use; a negative number releases them. */
  add(difference: number): void;
  /** True if this many more bytes are within the limit. Always true if none are in use. */
  fits(bytes: number): boolean;
  /** Bytes in use. */
  used(): number;
}

/** Creates an empty quota. It enforces nothing: each owner calls `fits` before `add`. */
export function createByteQuota(limit: number): ByteQuota {
  let used = 0;
  return {
    add(difference) {
      used += difference;
    },
    fits: (bytes) => used === 0 || used + bytes <= limit,
    used: () => used,
  };
}
