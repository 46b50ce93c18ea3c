// Turns: so many operations work at once. Whoever waits here past its deadline has sent nothing to the server.
import { StoreError } from '../../../errors.ts';
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
  // By their numbers in the queue: any of them leaves without a search.
  const waiting = new Map<number, Waiter>();
  let free = places;
  let first = 0;
  let last = 0;
  return {
    async enter(deadline) {
      if (free > 0) {
        free -= 1;
        return;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const number = last;
      last += 1;
      waiting.set(number, { enter: resolve, turnAway: () => reject(new StoreError('unavailable')) });
      // Out of the queue at the deadline: a place is never given to somebody who has gone.
      const late = () => {
        waiting.delete(number);
        return new StoreError('timeout');
      };
      await within(promise, deadline.left(), late);
    },
    leave() {
      for (; first < last; first += 1) {
        const next = waiting.get(first);
        if (next === undefined) continue;
        waiting.delete(first);
        next.enter();
        return;
      }
      free += 1;
    },
    close() {
      for (const waiter of waiting.values()) waiter.turnAway();
      waiting.clear();
    },
  };
}
