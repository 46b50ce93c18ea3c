// Turns: so many operations work at once.
import type { Deadline } from './deadlines.ts';
import { createQueue } from './queue.ts';

export interface Gate {
  /** Resolves when it is the caller's turn. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  enter(deadline: Deadline): Promise<void>;
  /** Ends a turn. */
  leave(): void;
  /** Sends away everybody who waits. */
  close(): void;
}

/** A gate that lets `places` callers in at a time, first come first served. */
export function createGate(places: number): Gate {
  const queue = createQueue();
  let free = places;
  return {
    async enter(deadline) {
      if (free === 0) return queue.wait(deadline);
      free -= 1;
    },
    leave() {
      if (!queue.next()) free += 1;
    },
    close: queue.close,
  };
}
