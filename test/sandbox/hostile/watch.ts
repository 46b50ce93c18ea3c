// Watches the process that serves: how long it works in one piece, and how much memory it takes.
import { watchThreadCpu } from '../../helpers/server-process/timing.ts';

const EVERY_MS = 5;

export interface Watch {
  /** Milliseconds of processor time of the longest piece of work: what waits for the machine is not counted. */
  longestWork(): number;
  /** Bytes by which resident memory has grown at its largest. */
  grown(): number;
  stop(): void;
}

export function watchProcess(): Watch {
  const startedWith = process.memoryUsage.rss();
  let largest = startedWith;
  const thread = watchThreadCpu(EVERY_MS);
  const timer = setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss());
  }, EVERY_MS);
  return {
    longestWork: thread.longest,
    grown: () => largest - startedWith,
    stop() {
      thread.stop();
      clearInterval(timer);
    },
  };
}
