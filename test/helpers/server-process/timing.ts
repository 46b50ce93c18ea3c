// Time limits that hold on a machine that stalls: processor time of a thread, waits counted in turns of the event loop.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { threadCpuMs } from '../../../src/workers/match-patterns.ts';

export interface ThreadWatch {
  /** The longest that the thread worked so far without a turn for others, in milliseconds of processor time. */
  longest(): number;
  stop(): void;
}

/** The full garbage collections of this process, whose length is that of all that it holds, whatever runs meanwhile. */
function watchCollections() {
  const seen: PerformanceEntry[] = [];
  const note = (entries: readonly PerformanceEntry[]) => {
    const isFull = ({ detail }: PerformanceEntry & { readonly detail?: unknown }) =>
      Object(detail).kind === constants.NODE_PERFORMANCE_GC_MAJOR;
    seen.push(...entries.filter(isFull));
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ entryTypes: ['gc'] });
  return {
    /** Their milliseconds between two times of `performance.now()`. */
    between(from: number, to: number): number {
      note(observer.takeRecords());
      const within = seen.filter(({ startTime }) => startTime >= from && startTime < to);
      return within.reduce((sum, { duration }) => sum + duration, 0);
    },
    stop() {
      note(observer.takeRecords());
      observer.disconnect();
    },
  };
}

/** Shorter pieces of work are told as they are. */
const SHORT_MS = 10;

/**
 * Looks at this thread so often, in milliseconds, and once more at the end. Full garbage collections do not count: in a process that
 * has run many tests, each takes longer than the work may.
 */
export function watchThreadCpu(everyMs: number): ThreadWatch {
  const collections = watchCollections();
  const long: { readonly cpu: number; readonly from: number; readonly to: number }[] = [];
  let short = 0;
  let last = { cpu: threadCpuMs(), at: performance.now() };
  const look = () => {
    const now = { cpu: threadCpuMs(), at: performance.now() };
    const cpu = now.cpu - last.cpu;
    if (cpu < SHORT_MS) short = Math.max(short, cpu);
    else long.push({ cpu, from: last.at, to: now.at });
    last = now;
  };
  const timer = setInterval(look, everyMs);
  return {
    longest: () => Math.max(short, ...long.map(({ cpu, from, to }) => cpu - collections.between(from, to))),
    stop() {
      look();
      clearInterval(timer);
      collections.stop();
    },
  };
}

/** Tries of one measurement: what is not of the work does not come in the way so often. */
export const TRIES = 5;

/**
 * The longest that this thread worked without a turn for others while `work` ran, in milliseconds of processor time. Repeats work that
 * took as long as `limitMs` or longer, and tells the least: the work blocks the thread at every try, anything else during one.
 */
export async function longestBlockMs(
  limitMs: number,
  work: (attempt: number) => Promise<unknown>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least >= limitMs; attempt += 1) {
    const watch = watchThreadCpu(2);
    try {
      await work(attempt);
      // A collection is told of in the turn after it.
      await nextTurn();
    } finally {
      watch.stop();
    }
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
