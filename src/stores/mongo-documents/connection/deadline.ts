// Deadline of one operation: how much time remains, and the error once none does.
import { StoreError } from '../../../errors/errors.ts';

export interface Deadline {
  /** Milliseconds until the deadline; zero or negative once it has passed, Infinity without a limit. */
  remainingMs(): number;
  /** Throws `timeout` once the deadline has passed. */
  assertNotPassed(): void;
}

/** Creates the deadline at `end`, in the milliseconds of `now`. Infinity means no limit. */
export function createDeadline(end: number, now: () => number): Deadline {
  const remainingMs = () => end - now();
  return {
    remainingMs,
    assertNotPassed() {
      if (remainingMs() <= 0) throw new StoreError('timeout');
    },
  };
}
