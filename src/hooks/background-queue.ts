// Queue of background tasks: started in order, at most four at a time, with a limit on what waits.

/** Tasks that run at the same time. */
const MAX_CONCURRENT = 4;
/** Tasks that may wait, and characters that they may hold in memory. */
const MAX_WAITING = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

interface BackgroundTask {
  /** Characters that it holds in memory. */
  readonly size: number;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface BackgroundQueue {
  /** Returns false where the task will not run: the queue is full or closed. */
  add(task: BackgroundTask): boolean;
  /** Drops waiting tasks, and resolves when the running ones have ended. */
  close(): Promise<void>;
}

/** Creates the queue. Running tasks are never interrupted. */
export function createBackgroundQueue(): BackgroundQueue {
  let waiting: BackgroundTask[] = [];
  let next = 0;
  let characters = 0;
  let closed = false;
  const running = new Set<Promise<void>>();

  const shift = (): BackgroundTask | undefined => {
    const task = waiting[next];
    if (task === undefined) {
      waiting = [];
      next = 0;
      return undefined;
    }
    next += 1;
    characters -= task.size;
    return task;
  };
  const start = () => {
    while (running.size < MAX_CONCURRENT) {
      const task = shift();
      if (task === undefined) return;
      const run = task.run().finally(() => {
        running.delete(run);
        start();
      });
      running.add(run);
    }
  };

  return {
    add(task) {
      const isFull = waiting.length - next >= MAX_WAITING || characters + task.size > MAX_CHARACTERS;
      if (closed || isFull) return false;
      waiting.push(task);
      characters += task.size;
      start();
      return true;
    },
    async close() {
      closed = true;
      waiting = [];
      next = 0;
      await Promise.all(running);
    },
  };
}
