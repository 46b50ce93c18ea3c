// Queue of write operations: one at a time, first come first served, of limited length. Yields to the event loop every few
// milliseconds.
import { StoreError } from '../../../errors/errors.ts';
import { clampDelay } from '../../../lib/async/timeout.ts';

export interface WriteQueue {
  /**
   * Runs `work` after all earlier work; synchronously if the queue is empty.
   * Rejects with `busy` if the queue is full, with `timeout` if `work` does not start before `deadline`.
   */
  run<T>(work: () => T | Promise<T>, options?: QueueOptions): Promise<T>;
  /** Operations that wait. */
  waiting(): number;
  /** Resolves when the queue is empty. */
  idle(): Promise<void>;
}

interface QueueOptions {
  /** Epoch milliseconds. */
  readonly deadline?: number | undefined;
  /** Work of the store itself, accepted by a full queue. */
  readonly internal?: boolean;
}

interface QueuedWrite {
  start(): void;
}

/** Queued work may block the event loop for this long before other events are processed. */
const MAX_BLOCKING_MS = 4;

/** Milliseconds for which a queue rests after a long turn. Longer than those who wait pause between two attempts. */
const REST_MS = 2;

interface WriteQueueOptions {
  /** How many operations may wait. */
  readonly limit: number;
  /** Other processes write too: after a turn that blocked them for long, they get theirs. */
  readonly isShared?: boolean;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Creates an empty queue. */
export function createWriteQueue({ limit, isShared = false, now = Date.now }: WriteQueueOptions): WriteQueue {
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

  const startTurn = () => {
    turnEnd = performance.now() + MAX_BLOCKING_MS;
    startNext();
  };

  const release = () => {
    const wasLong = performance.now() > turnEnd;
    if (wasLong && isShared) setTimeout(startTurn, REST_MS);
    else if (wasLong && waiting.size > 0) setImmediate(startTurn);
    else startNext();
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
      timer = setTimeout(
        () => {
          if (waiting.delete(waiter)) reject(new StoreError('timeout'));
        },
        clampDelay(options.deadline - now()),
      );
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
    waiting: () => waiting.size,
    idle: () => (running ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve()),
  };
}
