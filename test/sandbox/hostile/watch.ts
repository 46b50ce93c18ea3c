// Watches the process that serves: how long it works in one piece, and how much memory it takes.
import { setImmediate as nextTurn } from 'node:timers/promises';
import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundYoungGeneration } from '../../../src/lib/processes/young-generation.ts';
import { watchThreadCpu } from '../../helpers/server-process/timing.ts';

const EVERY_MS = 5;

export interface Watch {
  /** Milliseconds of processor time of the longest piece of work: what waits for the machine is not counted. */
  longestWork(): number;
  /** Bytes by which resident memory has grown at its largest, some garbage included. */
  grown(): number;
  /** Bytes of objects and buffers that are left now, above those at the start. Collects garbage, which is work in one piece. */
  left(): Promise<number>;
  stop(): void;
}

/** Bytes of the heap that may be garbage before it is collected: V8 alone waits for 200 MB of it, and longer where the machine stalls. */
const GARBAGE_BYTES = 64 * 1024 * 1024;

/** Collects all garbage of this process. */
function collect(): void {
  v8.setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Bytes of this process that no collection frees. Buffers and long texts outside of the heap go in the turn after the first one. */
async function liveBytes(): Promise<number> {
  collect();
  await nextTurn();
  collect();
  await nextTurn();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Also keeps the young generation of this process from growing, as a server does: left alone it takes up to ninety megabytes. */
export async function watchProcess(): Promise<Watch> {
  boundYoungGeneration('');
  const startedWith = process.memoryUsage.rss();
  const liveAtStart = await liveBytes();
  let largest = startedWith;
  let longest = 0;
  let collectAt = process.memoryUsage().heapUsed + GARBAGE_BYTES;
  let thread = watchThreadCpu(EVERY_MS);
  const collectGarbage = () => {
    longest = Math.max(longest, thread.longest());
    thread.stop();
    collect();
    collectAt = process.memoryUsage().heapUsed + GARBAGE_BYTES;
    thread = watchThreadCpu(EVERY_MS);
  };
  const timer = setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage();
    largest = Math.max(largest, rss);
    if (heapUsed > collectAt) collectGarbage();
  }, EVERY_MS);
  return {
    longestWork: () => Math.max(longest, thread.longest()),
    grown: () => largest - startedWith,
    left: async () => (await liveBytes()) - liveAtStart,
    stop() {
      thread.stop();
      clearInterval(timer);
    },
  };
}
