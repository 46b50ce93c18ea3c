// Time limits that hold on a machine that stalls: processor time of a thread, waits counted in turns of the event loop.

import { setTimeout as pause } from 'node:timers/promises';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';

export interface ThreadWatch {
  /** The longest that the thread worked so far without a turn for others, in milliseconds of processor time. */
  longest(): number;
  stop(): void;
}

/** Looks at this thread so often, in milliseconds, and once more at the end. */
export function watchThreadCpu(everyMs: number): ThreadWatch {
  let longest = 0;
  let last = threadCpuMs();
  const look = () => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    longest: () => longest,
    stop() {
      look();
      clearInterval(timer);
    },
  };
}

/** Tries of one measurement: what is not of the work does not come in the way so often. */
export const TRIES = 5;

/**
 * The longest that this thread worked without a turn for others while `work` ran, in milliseconds of processor time. Repeats work that
 * took as long as `limitMs` or longer, and tells the least: the work blocks the thread at every try, while a garbage collection of all
 * that the tests of this process hold comes during one of them.
 */
export async function longestBlockMs(
  limitMs: number,
  work: (attempt: number) => Promise<unknown>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least >= limitMs; attempt += 1) {
    const watch = watchThreadCpu(2);
    await work(attempt).finally(() => watch.stop());
    least = Math.min(least, watch.longest());
  }
  return least;
}

const STEP_MS = 50;

export interface LoopClock {
  /** Milliseconds since its start. */
  ms(): number;
  stop(): void;
}

/** A clock that counts steps of the event loop: while the machine stalls, that is one step however long it takes. */
export function startLoopClock(): LoopClock {
  let ms = 0;
  const timer = setInterval(() => {
    ms += STEP_MS;
  }, STEP_MS);
  return { ms: () => ms, stop: () => clearInterval(timer) };
}

/** How long `work` takes by such a clock, in milliseconds. */
export async function loopMs(work: () => Promise<unknown>): Promise<number> {
  const clock = startLoopClock();
  await work().finally(() => clock.stop());
  return clock.ms();
}

/**
 * Repeats a check until it holds, and resolves with what it gave; fails as it did last when it does not within so many milliseconds.
 * They are counted in steps of the event loop between checks, whose own time does not count: while the machine stalls,
 * neither the check nor what it waits for gets anywhere, and that is one step however long it takes.
 */
export async function pollWithin<T>(ms: number, check: () => T | Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      return await check();
    } catch (error) {
      if (waited >= ms) throw error;
    }
    await pause(STEP_MS);
  }
}
