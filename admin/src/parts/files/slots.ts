// Lets a few things run at a time; the others wait for their turn.

export interface Slots {
  /** Runs `work` when it is its turn. Rejects when `signal` ends before that. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const take = (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => waiting.push(resolve));
  };
  const give = () => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async run(signal, work) {
      await take();
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        give();
      }
    },
  };
}
