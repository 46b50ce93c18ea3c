// A pool of worker threads for tasks whose time or memory hostile input decides. Its threads start with the first task and end when
// they are idle.
import type { Piscina } from 'piscina';

const IDLE_MS = 30_000;
/** Three times a semi-space, as V8 counts. Its default is 48. */
const MAX_YOUNG_GENERATION_MB = 12;

interface WorkerPoolOptions {
  /** Address of the module with the task; undefined where each call names it. */
  readonly task?: URL;
  readonly maxThreads: number;
  /** How many tasks may wait; any number by default. */
  readonly maxQueue?: number;
  /** Of each thread; V8's maximum by default. */
  readonly heapMb?: number;
}

/** Creates the pool. The package is loaded now, so call it at the first task. */
export async function createWorkerPool(options: WorkerPoolOptions): Promise<Piscina> {
  const { task, maxThreads, maxQueue, heapMb } = options;
  const piscina = await import('piscina');
  return new piscina.Piscina({
    ...(task === undefined ? {} : { filename: task.href }),
    minThreads: 0,
    maxThreads,
    ...(maxQueue === undefined ? {} : { maxQueue }),
    idleTimeout: IDLE_MS,
    resourceLimits: {
      maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB,
      ...(heapMb === undefined ? {} : { maxOldGenerationSizeMb: heapMb }),
    },
  });
}
