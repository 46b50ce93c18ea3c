// Worker threads of the store: up to two readers and one writer, started on first use.
import { extname } from 'node:path';
import { StoreError } from '../../../errors/errors.ts';
import { StartError } from '../../../errors/start-error.ts';
import { createSemaphore } from '../../../lib/async/concurrency.ts';
import { clampDelay } from '../../../lib/async/timeout.ts';
import { type ThreadCall, ThreadPool } from '../../../lib/processes/thread-pool.ts';
import type { SerializedWrites } from '../commit/serialized-writes.ts';
import { asStoreError } from '../data-file/storage-errors.ts';
import type { FillState, GatherState } from '../indexes/bulk-build.ts';
import type { BuildSlice } from '../indexes/index-build.ts';
import type { DiskUsage } from '../query/disk-usage.ts';
import type { CountTask, DiskUsageTask, FindTask, ThreadWorkerData } from './reader-thread.ts';
import {
  deserializeTexts,
  type SerializedTexts,
  type ThreadResult,
  unwrapResult,
} from './thread-messages.ts';
import type { CheckpointKind } from './writer-thread.ts';

/** Every method rejects with a StoreError. */
export interface Threads {
  /** `bytes` is the approximate size of the page. Rejects with `busy` if there is no memory for it. */
  find(task: FindTask, bytes?: number): Promise<readonly string[]>;
  count(task: CountTask): Promise<number>;
  diskUsage(task: DiskUsageTask): Promise<DiskUsage>;
  commit(writes: SerializedWrites): Promise<void>;
  gather(task: BuildSlice): Promise<GatherState>;
  fill(task: BuildSlice): Promise<FillState>;
  discard(index: number): Promise<void>;
  drop(index: number): Promise<void>;
  checkpoint(kind: CheckpointKind): Promise<void>;
  /** Waits for running tasks. */
  close(): Promise<void>;
}

const MAX_READERS = 2;
/** A page of fewer bytes is read without asking `hasMemoryFor`. */
const MAX_UNCHECKED_BYTES = 1_048_576;
const IDLE_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** V8's default lets short-lived objects grow to four times as much. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 16 };
/** Milliseconds after its deadline that a reader has to stop by itself: a single document may take that long. */
const GRACE_MS = 100;

// The extension of this file: `.ts` in the source tree, `.js` in the built package.
const moduleOf = (name: string) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href;

interface ThreadsOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Called after each task of the writer, before its promise resolves. */
  readonly onWrite?: () => void;
  /** Whether a page of so many bytes may be read now. Default: always. */
  readonly hasMemoryFor?: ((bytes: number) => boolean) | undefined;
}

/** Creates the pools without starting a thread. `file` is the data file. A reader that misses its deadline is terminated. */
export function createThreads(file: string, options: ThreadsOptions = {}): Threads {
  const {
    now = Date.now,
    onWrite: onWritten = () => undefined,
    hasMemoryFor: hasMemory = () => true,
  } = options;
  // `hasMemoryFor` is asked when a reader is free: a waiting page is not in memory yet. One that is being read is.
  let reading = 0;
  const limited = createSemaphore(MAX_READERS);
  const data: ThreadWorkerData = { file };
  const common = { idleMs: IDLE_TIMEOUT_MS, resourceLimits: RESOURCE_LIMITS, data };
  const readers = new ThreadPool({ ...common, maxThreads: MAX_READERS });
  const writers = new ThreadPool({ ...common, maxThreads: 1 });
  const run = async <T>(threads: ThreadPool, task: unknown, call: ThreadCall): Promise<T> => {
    let result: ThreadResult<T>;
    try {
      result = (await threads.run(task, call)) as ThreadResult<T>;
    } catch (error) {
      if (call.signal?.aborted) throw new StoreError('timeout');
      throw error instanceof StartError ? new StoreError('busy', { cause: error }) : asStoreError(error);
    }
    return unwrapResult(result);
  };
  const read = <T>(name: string, task: { readonly deadline: number | undefined }) => {
    const module = moduleOf('reader-thread');
    if (task.deadline === undefined) return run<T>(readers, task, { module, name });
    const signal = AbortSignal.timeout(clampDelay(Math.max(0, task.deadline - now()) + GRACE_MS));
    return run<T>(readers, task, { module, name, signal });
  };
  const write = <T>(name: string, task: unknown) =>
    run<T>(writers, task, { module: moduleOf('writer-thread'), name }).finally(onWritten);
  return {
    find: (task, bytes = 0) =>
      limited(async () => {
        if (bytes > MAX_UNCHECKED_BYTES && !hasMemory(reading + bytes)) throw new StoreError('busy');
        reading += bytes;
        try {
          return await deserializeTexts(await read<SerializedTexts>('find', task));
        } finally {
          // By then the answer itself counts.
          setImmediate(() => {
            reading -= bytes;
          });
        }
      }),
    count: (task) => read('count', task),
    diskUsage: (task) => read('diskUsage', task),
    commit: (writes) => write('commit', writes),
    gather: (task) => write('gather', task),
    fill: (task) => write('fill', task),
    discard: (index) => write('discard', index),
    drop: (index) => write('drop', index),
    checkpoint: (kind) => write('checkpoint', kind),
    async close() {
      await Promise.all([readers.close(CLOSE_TIMEOUT_MS), writers.close(CLOSE_TIMEOUT_MS)]);
    },
  };
}
