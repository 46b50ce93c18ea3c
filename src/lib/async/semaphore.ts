// Limits how many tasks run at the same time.

/** Runs a task as soon as a permit is free, in order of the calls. Settles as the task does. */
export type Semaphore = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a semaphore with this many permits. */
export function createSemaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = permits;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      // The permit goes to the next task directly, so that none that comes later can take it.
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
