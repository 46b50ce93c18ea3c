// Watches the process that serves: how long it works in one piece, and how much memory it takes.
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundYoungGeneration } from '../../../src/cli/young-generation.ts';
import { watchThreadCpu } from '../../helpers/server-process/timing.ts';

const EVERY_MS = 5;

export interface Watch {
  /** Milliseconds of processor time of the longest piece of work: what waits for the machine is not counted. */
  longestWork(): number;
  /** Bytes by which resident memory has grown at its largest. */
  grown(): number;
  /** Bytes of objects and buffers that are left now, above those at the start. Collects garbage, which is work in one piece. */
  left(): number;
  stop(): void;
}

/** Bytes of this process that no collection of garbage frees. */
function liveBytes(): number {
  v8.setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Also keeps the young generation of this process from growing, as a server does: left alone it takes up to ninety megabytes. */
export function watchProcess(): Watch {
  boundYoungGeneration('');
  const startedWith = process.memoryUsage.rss();
  const liveAtStart = liveBytes();
  let largest = startedWith;
  const thread = watchThreadCpu(EVERY_MS);
  const timer = setInterval(() => {
    largest = Math.max(largest, process.memoryUsage.rss());
  }, EVERY_MS);
  return {
    longestWork: thread.longest,
    grown: () => largest - startedWith,
    left: () => liveBytes() - liveAtStart,
    stop() {
      thread.stop();
      clearInterval(timer);
    },
  };
}
