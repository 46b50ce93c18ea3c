// How long a thread keeps others waiting, whatever else the machine does meanwhile.
import { threadCpuMs } from '../../src/workers/match-patterns.ts';

export interface ThreadWatch {
  /** The longest that the thread worked so far without a turn for others, in milliseconds of processor time. */
  longest(): number;
  stop(): void;
}

/** Looks at this thread so often, in milliseconds, and once more at the end. */
export function watchThread(everyMs: number): ThreadWatch {
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
export async function heldBy(work: () => Promise<unknown>): Promise<number> {
  const watch = watchThread(2);
  await work();
  watch.stop();
  return watch.longest();
}
