// Limits on the time and the text that one operation may use on its thread.
import { StoreError } from '../../../errors/errors.ts';

/** Thrown when work is too long for the main thread. It is then repeated on another thread. */
export class WorkLimitExceeded extends Error {}

export interface WorkLimit {
  /** Called once per step with the text it processed. Throws to end the work. */
  tick(size: number): void;
}

const TICKS_PER_CHECK = 16;
const TEXT_PER_CHECK = 20_000;

/** Throws `WorkLimitExceeded` after `ms` milliseconds or `size` units of text. */
export function createWorkLimit(ms: number, size: number, clock: () => number): WorkLimit {
  const end = clock() + ms;
  let ticks = 0;
  let remaining = size;
  return {
    tick(spent) {
      remaining -= spent;
      ticks += 1;
      if (remaining < 0 || (ticks % TICKS_PER_CHECK === 0 && clock() > end)) throw new WorkLimitExceeded();
    },
  };
}

/** Throws a `timeout` StoreError after `deadline` (epoch milliseconds; undefined: never). */
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

/** Throws a `timeout` StoreError if `deadline` has passed. */
export function assertBeforeDeadline(deadline: number | undefined, now: () => number = Date.now): void {
  if (deadline !== undefined && now() > deadline) throw new StoreError('timeout');
}
