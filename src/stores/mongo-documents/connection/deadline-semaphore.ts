// Turns: so many operations work at once.
import type { Deadline } from './deadline.ts';
import { createWaitQueue } from './wait-queue.ts';

export interface DeadlineSemaphore {
  /** Resolves when it is the caller's turn. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  acquire(deadline: Deadline): Promise<void>;
  /** Ends a turn. */
  release(): void;
  /** Sends away everybody who waits. */
  close(): void;
}

/** A gate that lets `places` callers in at a time, first come first served. */
export function createDeadlineSemaphore(places: number): DeadlineSemaphore {
  const queue = createWaitQueue();
  let free = places;
  return {
    async acquire(deadline) {
      if (free === 0) return queue.wait(deadline);
      free -= 1;
    },
    release() {
      if (!queue.admitNext()) free += 1;
    },
    close: queue.close,
  };
}
