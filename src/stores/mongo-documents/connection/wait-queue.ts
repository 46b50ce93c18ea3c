// Who waits for a turn, first come, first served. Whoever waits past its deadline has sent nothing to the server.
import { StoreError } from '../../../errors.ts';
import { type Deadline, withTimeout } from './deadline.ts';

export interface WaitQueue {
  /** How many wait. */
  size(): number;
  /** Resolves when `next` lets the caller in. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  wait(deadline: Deadline): Promise<void>;
  /** Lets in whoever waits longest; false where nobody waits. */
  admitNext(): boolean;
  /** Sends away everybody who waits. */
  close(): void;
}

interface Waiter {
  admit(): void;
  reject(): void;
}

/** An empty queue. */
export function createWaitQueue(): WaitQueue {
  // By their numbers: any of them leaves without a search.
  const waiting = new Map<number, Waiter>();
  let first = 0;
  let last = 0;
  return {
    size: () => waiting.size,
    async wait(deadline) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const number = last;
      last += 1;
      waiting.set(number, { admit: resolve, reject: () => reject(new StoreError('unavailable')) });
      // Out of the queue at the deadline: a turn is never given to somebody who has gone.
      const late = () => {
        waiting.delete(number);
        return new StoreError('timeout');
      };
      await withTimeout(promise, deadline.remainingMs(), late);
    },
    admitNext() {
      for (; first < last; first += 1) {
        const waiter = waiting.get(first);
        if (waiter === undefined) continue;
        waiting.delete(first);
        waiter.admit();
        return true;
      }
      return false;
    },
    close() {
      for (const waiter of waiting.values()) waiter.reject();
      waiting.clear();
    },
  };
}
