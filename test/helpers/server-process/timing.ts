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

/** The longest that this thread worked without a turn for others while `work` ran, in milliseconds of processor time. */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  const watch = watchThreadCpu(2);
  await work();
  watch.stop();
  return watch.longest();
}

const STEP_MS = 50;

/**
 * Repeats a check until it holds; fails as it did last when it does not within so many milliseconds. They are counted in
 * steps of the event loop between checks, whose own time does not count: while the machine stalls, neither the check nor what it waits for gets anywhere, and that is one
 * step however long it takes.
 */
export async function pollWithin(ms: number, check: () => unknown): Promise<void> {
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      await check();
      return;
    } catch (error) {
      if (waited >= ms) throw error;
    }
    await pause(STEP_MS);
  }
}
