// Turns: so many operations work at once. Whoever waits here past its deadline has sent nothing to the server.
import { StoreError } from '../../errors.ts';
import { type Deadline, within } from './deadlines.ts';

export interface Gate {
  /** Resolves when it is the caller's turn. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  enter(deadline: Deadline): Promise<void>;
  /** Ends a turn. */
  leave(): void;
  /** Sends away everybody who waits. */
  close(): void;
}

interface Waiter {
  enter(): void;
  turnAway(): void;
}

/** A gate that lets `places` callers in at a time, first come first served. */
export function createGate(places: number): Gate {
  const waiting = new Set<Waiter>();
  let free = places;
  return {
    async enter(deadline) {
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiter = { enter: resolve, turnAway: () => reject(new StoreError('unavailable')) };
      waiting.add(waiter);
      // Out of the queue at the deadline: a place is never given to somebody who has gone.
      const late = () => {
        waiting.delete(waiter);
        return new StoreError('timeout');
      };
      await within(promise, deadline.left(), late);
    },
    leave() {
      const [next] = waiting;
      if (next === undefined) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next.enter();
    },
    close() {
      for (const waiter of waiting) waiter.turnAway();
      waiting.clear();
    },
  };
}
