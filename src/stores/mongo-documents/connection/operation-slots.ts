// Turns in lanes: each kind of work has connections that no other kind can take, so that what is slow holds nothing else up.

import { StoreError } from '../../../errors.ts';
import { withTimeout } from '../../../lib/async/timeout.ts';
import type { Deadline } from './deadline.ts';

/** Kinds of work, from the shortest to the longest. */
const OPERATION_CLASSES = ['lookup', 'write', 'query', 'count', 'scan', 'page'] as const;

/**
 * `lookup`: reads by id, and the server's own records. `query`: reads that are known to be quick. `count`: counts of whole
 * collections. `scan`: reads that may look at all documents. `page`: long pages, which take memory.
 */
export type OperationClass = (typeof OPERATION_CLASSES)[number];

const MAX_COUNTS = 2;
/** Long pages in memory at once: one is fetched while the other is written as text. */
const MAX_PAGES = 2;

export interface OperationSlots {
  /** Resolves when it is the caller's turn. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  acquire(operationClass: OperationClass, deadline: Deadline): Promise<void>;
  /** Ends a turn. */
  release(operationClass: OperationClass): void;
  /** Sends away everybody who waits. */
  close(): void;
}

interface SlotShare {
  /** Places that are kept free for this lane. */
  readonly reserved: number;
  /** Places that it takes at most. */
  readonly max: number;
}

/** How `places` are shared out. What is reserved for no lane goes to whoever comes first. */
function slotShares(places: number): Readonly<Record<OperationClass, SlotShare>> {
  const part = (divisor: number) => Math.floor(places / divisor);
  const few = (most: number) => Math.max(1, Math.min(most, part(4)));
  // Each keeps a processor of the database busy, which what is short needs too.
  const scans = Math.max(few(2), part(32));
  return {
    // Also of a few places one is for reads by id, and one for writes.
    lookup: { reserved: Math.max(part(4), places > 1 ? 1 : 0), max: places },
    write: { reserved: Math.max(part(4), places > 2 ? 1 : 0), max: places },
    query: { reserved: part(8), max: Math.max(1, part(2)) },
    count: { reserved: Math.min(1, part(16)), max: few(MAX_COUNTS) },
    scan: { reserved: Math.min(scans, part(16)), max: scans },
    page: { reserved: Math.min(MAX_PAGES, part(16)), max: few(MAX_PAGES) },
  };
}

interface ClassState extends SlotShare {
  used: number;
  readonly queue: WaitQueue;
}

/** Lanes over so many places. In each of them it is first come, first served. */
export function createOperationSlots(places: number): OperationSlots {
  const shares = slotShares(places);
  const states: readonly ClassState[] = OPERATION_CLASSES.map((operationClass) => ({
    ...shares[operationClass],
    used: 0,
    queue: createWaitQueue(),
  }));
  const stateOf = (operationClass: OperationClass) =>
    states[OPERATION_CLASSES.indexOf(operationClass)] as ClassState;
  /** Where the search for whom to let in begins: a lane that has had its turn is the last one next time. */
  let first = 0;

  const isFree = ({ used, reserved, max: most }: ClassState) => {
    if (used >= most) return false;
    const taken = states.reduce((sum, state) => sum + Math.max(state.used, state.reserved), 0);
    return used < reserved || taken < places;
  };

  return {
    async acquire(operationClass, deadline) {
      const state = stateOf(operationClass);
      if (state.queue.size() > 0 || !isFree(state)) return state.queue.wait(deadline);
      state.used += 1;
    },
    release(operationClass) {
      stateOf(operationClass).used -= 1;
      for (let step = 0; step < states.length; step += 1) {
        const at = (first + step) % states.length;
        const state = states[at] as ClassState;
        if (!isFree(state) || !state.queue.admitNext()) continue;
        state.used += 1;
        first = at + 1;
        return;
      }
    },
    close() {
      for (const { queue } of states) queue.close();
    },
  };
}

/** Whether work of `lane` is longer than that of `other`. */
export function isLongerClass(operationClass: OperationClass, other: OperationClass): boolean {
  return OPERATION_CLASSES.indexOf(operationClass) > OPERATION_CLASSES.indexOf(other);
}

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
