// Bounds on how long a piece of work may hold its thread.
import { StoreError } from '../../../errors.ts';

/** Thrown on the main thread when work turns out too long for it: another thread then does it anew. */
export class WorkLimitExceeded extends Error {}

export interface WorkLimit {
  /** Called once a step, `size` being the text it handled. Throws to end the work. */
  tick(size: number): void;
}

const TICKS_PER_CHECK = 16;
const TEXT_PER_CHECK = 20_000;

/** Allows `ms` milliseconds and `size` units of text, then throws `OverBudget`. */
export function createWorkLimit(ms: number, size: number, clock: () => number): WorkLimit {
  const end = clock() + ms;
  let ticks = 0;
  let left = size;
  return {
    tick(spent) {
      left -= spent;
      ticks += 1;
      if (left < 0 || (ticks % TICKS_PER_CHECK === 0 && clock() > end)) throw new WorkLimitExceeded();
    },
  };
}

/** Throws a `timeout` StoreError past `deadline` (epoch milliseconds; absent: never). */
export function createDeadlineLimit(deadline: number | undefined, now: () => number = Date.now): WorkLimit {
  let ticks = TICKS_PER_CHECK;
  let text = 0;
  return {
    tick(size) {
      ticks += 1;
      text += size;
      if (ticks < TICKS_PER_CHECK && text < TEXT_PER_CHECK) return;
      ticks = 0;
      text = 0;
      assertBeforeDeadline(deadline, now);
    },
  };
}

/** Throws a `timeout` StoreError when `deadline` has passed. */
export function assertBeforeDeadline(deadline: number | undefined, now: () => number = Date.now): void {
  if (deadline !== undefined && now() > deadline) throw new StoreError('timeout');
}
