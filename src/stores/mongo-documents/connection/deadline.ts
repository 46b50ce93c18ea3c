// Time limits of operations that go to a server: whatever the driver waits for, the caller does not wait longer.
import { StoreError } from '../../../errors.ts';

/** The longest delay that a timer takes, in milliseconds. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface Deadline {
  /** Milliseconds from now, at most 0 past it. Infinity without a limit. */
  remainingMs(): number;
  /** Throws `timeout` past it. */
  assertNotPassed(): void;
}

/** A limit at `end`, in the milliseconds of `now`; Infinity for none. */
export function createDeadline(end: number, now: () => number): Deadline {
  const left = () => end - now();
  return {
    remainingMs: left,
    assertNotPassed() {
      if (left() <= 0) throw new StoreError('timeout');
    },
  };
}

/**
 * What `work` gives, or the error of `late` after `ms` milliseconds, whichever comes first. `work` goes on then, and
 * nobody hears how it ends.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, late: () => Error): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return work;
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), Math.max(0, Math.min(ms, MAX_TIMER_MS)));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
