// Divides the connection pool among operation classes: each has reserved slots, so that slow work never blocks short work. Who
// waits for a slot waits until the deadline of the operation.

import { StoreError } from '../../../errors/errors.ts';
import { withTimeout } from '../../../lib/async/timeout.ts';

export interface Deadline {
  /** Milliseconds until the deadline; zero or negative once it has passed, Infinity without a limit. */
  remainingMs(): number;
  /** Throws `timeout` once the deadline has passed. */
  assertNotPassed(): void;
  /** From now on the deadline has passed: its timer may fire shortly before the clock reaches it. */
  expire(): void;
}

/** Creates the deadline at `end`, in the milliseconds of `now`. Infinity means no limit. */
export function createDeadline(end: number, now: () => number): Deadline {
  let isExpired = false;
  const remainingMs = () => (isExpired ? 0 : end - now());
  return {
    remainingMs,
    expire() {
      isExpired = true;
    },
    assertNotPassed() {
      if (remainingMs() <= 0) throw new StoreError('timeout');
    },
  };
}

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
  /** Takes a slot if one is free and nobody of the class waits. */
  tryAcquire(operationClass: OperationClass): boolean;
  /** Resolves once the caller has a slot. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  acquire(operationClass: OperationClass, deadline: Deadline): Promise<void>;
  /** Returns a slot. */
  release(operationClass: OperationClass): void;
  /** Sends away everybody who waits. */
  close(): void;
}

interface SlotShare {
  /** Slots that are reserved for this class. */
  readonly reserved: number;
  /** Slots that it takes at most. */
  readonly max: number;
}

/** Divides the slots. Those not reserved go to whoever comes first. */
function slotShares(slots: number): Readonly<Record<OperationClass, SlotShare>> {
  const part = (divisor: number) => Math.floor(slots / divisor);
  const upTo = (max: number) => Math.max(1, Math.min(max, part(4)));
  // Each scan keeps a CPU of the database busy, which short work needs too.
  const scans = Math.max(upTo(2), part(32));
  return {
    // Even of a few slots one is reserved for reads by id, and one for writes.
    lookup: { reserved: Math.max(part(4), slots > 1 ? 1 : 0), max: slots },
    write: { reserved: Math.max(part(4), slots > 2 ? 1 : 0), max: slots },
    query: { reserved: part(8), max: Math.max(1, part(2)) },
    count: { reserved: Math.min(1, part(16)), max: upTo(MAX_COUNTS) },
    scan: { reserved: Math.min(scans, part(16)), max: scans },
    page: { reserved: Math.min(MAX_PAGES, part(16)), max: upTo(MAX_PAGES) },
  };
}

interface ClassState extends SlotShare {
  used: number;
  readonly queue: WaitQueue;
}

/** Creates the slots of all classes. Each class is first come, first served. */
export function createOperationSlots(slots: number): OperationSlots {
  const shares = slotShares(slots);
  const states: readonly ClassState[] = OPERATION_CLASSES.map((operationClass) => ({
    ...shares[operationClass],
    used: 0,
    queue: createWaitQueue(),
  }));
  const stateOf = (operationClass: OperationClass) =>
    states[OPERATION_CLASSES.indexOf(operationClass)] as ClassState;
  /** Round robin: the class after the one that was last admitted is checked first. */
  let first = 0;

  const isFree = ({ used, reserved, max }: ClassState) => {
    if (used >= max) return false;
    if (used < reserved) return true;
    let taken = 0;
    for (const state of states) taken += Math.max(state.used, state.reserved);
    return taken < slots;
  };

  const tryAcquire = (operationClass: OperationClass) => {
    const state = stateOf(operationClass);
    if (state.queue.size() > 0 || !isFree(state)) return false;
    state.used += 1;
    return true;
  };

  return {
    tryAcquire,
    async acquire(operationClass, deadline) {
      if (!tryAcquire(operationClass)) await stateOf(operationClass).queue.wait(deadline);
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

/** Whether work of one class takes longer than that of another. */
export function isLongerClass(operationClass: OperationClass, other: OperationClass): boolean {
  return OPERATION_CLASSES.indexOf(operationClass) > OPERATION_CLASSES.indexOf(other);
}

export interface WaitQueue {
  /** How many wait. */
  size(): number;
  /** Resolves when `next` lets the caller in. Rejects with `timeout` at the deadline, `unavailable` once closed. */
  wait(deadline: Deadline): Promise<void>;
  /** Admits the longest waiter; false if there is none. */
  admitNext(): boolean;
  /** Sends away everybody who waits. */
  close(): void;
}

/** An empty queue. */
export function createWaitQueue(): WaitQueue {
  const waiting = new Set<PromiseWithResolvers<void>>();
  return {
    size: () => waiting.size,
    async wait(deadline) {
      const waiter = Promise.withResolvers<void>();
      waiting.add(waiter);
      // Removed at the deadline, so that no slot goes to a caller that has left.
      const late = () => {
        waiting.delete(waiter);
        return new StoreError('timeout');
      };
      await withTimeout(waiter.promise, deadline.remainingMs(), late);
    },
    admitNext() {
      const [next] = waiting;
      if (next === undefined) return false;
      waiting.delete(next);
      next.resolve();
      return true;
    },
    close() {
      for (const { reject } of waiting) reject(new StoreError('unavailable'));
      waiting.clear();
    },
  };
}
