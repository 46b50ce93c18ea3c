// Work behind the answers: begun in order, a few at a time, and never more than a bounded amount waiting.

/** Tasks that run at the same time. */
const MAX_CONCURRENT = 4;
/** Tasks, and characters of theirs, that may wait. */
const MAX_WAITING = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

interface BackgroundTask {
  /** What it keeps in memory, in characters. */
  readonly size: number;
  /** Never rejects. */
  run(): Promise<void>;
}

export interface BackgroundQueue {
  /** False: too much is waiting, or the server ends; the task will not run. */
  add(task: BackgroundTask): boolean;
  /** Forgets what waits, and resolves when what runs has ended. */
  close(): Promise<void>;
}

/** Makes the queue. What runs is never interrupted. */
export function createBackgroundQueue(): BackgroundQueue {
  let waiting: BackgroundTask[] = [];
  let next = 0;
  let characters = 0;
  let closed = false;
  const running = new Set<Promise<void>>();

  const take = (): BackgroundTask | undefined => {
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
  const begin = () => {
    while (running.size < MAX_CONCURRENT) {
      const task = take();
      if (task === undefined) return;
      const run = task.run().finally(() => {
        running.delete(run);
        begin();
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
      begin();
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
