// Runs tasks with the same key one after the other, and tasks with different keys concurrently.

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
