// One writer at a time, in the order of arrival, with bounded waiting. Released to the event loop every few milliseconds.
import { StoreError } from '../../../errors.ts';

export interface WriteQueue {
  /**
   * Runs `work` when everything before it has ended; at once, in this very turn, when nothing waits.
   * Rejects with `busy` when too much waits already, with `timeout` when its turn does not come before `deadline`.
   */
  run<T>(work: () => T | Promise<T>, options?: QueueOptions): Promise<T>;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

interface QueueOptions {
  /** Epoch milliseconds. */
  readonly deadline?: number | undefined;
  /** The store's own work: never refused. */
  readonly internal?: boolean;
}

interface QueuedWrite {
  start(): void;
}

/** Queued work may hold the event loop this long before other events get a turn. */
const MAX_BLOCKING_MS = 4;

/** `limit` is how many may wait. */
export function createWriteQueue(limit: number, now: () => number = Date.now): WriteQueue {
  const waiting = new Set<QueuedWrite>();
  const idlers: (() => void)[] = [];
  let running = false;
  let turnEnd = 0;

  const startNext = () => {
    const [next] = waiting;
    if (next === undefined) {
      running = false;
      for (const resolve of idlers.splice(0)) resolve();
      return;
    }
    waiting.delete(next);
    next.start();
  };

  const release = () => {
    if (waiting.size > 0 && performance.now() > turnEnd) {
      setImmediate(() => {
        turnEnd = performance.now() + MAX_BLOCKING_MS;
        startNext();
      });
    } else startNext();
  };

  const execute = async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      release();
    }
  };

  const turn = (options: QueueOptions) =>
    new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const waiter: QueuedWrite = {
        start() {
          clearTimeout(timer);
          resolve();
        },
      };
      waiting.add(waiter);
      if (options.deadline === undefined) return;
      timer = setTimeout(() => {
        if (waiting.delete(waiter)) reject(new StoreError('timeout'));
      }, options.deadline - now());
    });

  return {
    async run(work, options = {}) {
      if (!running) {
        running = true;
        turnEnd = performance.now() + MAX_BLOCKING_MS;
        return execute(work);
      }
      if (options.internal !== true && waiting.size >= limit) throw new StoreError('busy');
      await turn(options);
      return execute(work);
    },
    idle: () => (running ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve()),
  };
}
