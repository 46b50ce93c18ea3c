// The threads for tasks whose time or memory hostile input decides.
import { ThreadPool } from '../lib/processes/thread-pool.ts';

const IDLE_MS = 30_000;
/** Three times a semi-space, as V8 counts. Its default is 48. */
const MAX_YOUNG_GENERATION_MB = 12;

interface WorkerPoolOptions {
  readonly maxThreads: number;
  /** How many tasks may wait; any number by default. */
  readonly maxQueue?: number;
  /** Of each thread; V8's maximum by default. */
  readonly heapMb?: number;
}

/** Creates the pool, whose threads start with the first task. */
export function createWorkerPool({ maxThreads, maxQueue, heapMb }: WorkerPoolOptions): ThreadPool {
  return new ThreadPool({
    maxThreads,
    ...(maxQueue === undefined ? {} : { maxQueue }),
    idleMs: IDLE_MS,
    resourceLimits: {
      maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
    },
  });
}
