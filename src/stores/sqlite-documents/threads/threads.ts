// The threads beside the main one: up to two readers and one writer, started when first needed.
import { extname } from 'node:path';
import { Piscina } from 'piscina';
import { StoreError } from '../../../errors.ts';
import { createSemaphore } from '../../../lib/async/semaphore.ts';
import type { SerializedWrites } from '../commit/serialized-writes.ts';
import type { FillState, GatherState } from '../indexes/bulk-build.ts';
import type { BuildSlice } from '../indexes/index-build.ts';
import type { DiskUsage } from '../query/disk-usage.ts';
import type { CountTask, DiskUsageTask, FindTask, ThreadWorkerData } from './reader-thread.ts';
import { deserializeTexts, type SerializedTexts } from './serialized-texts.ts';
import { asStoreError, type ThreadResult, unwrapResult } from './thread-result.ts';

/** Every method rejects with a StoreError. */
export interface Threads {
  /** `bytes`: about how long the page may get. Rejects with `busy` where there is no room for it. */
  find(task: FindTask, bytes?: number): Promise<readonly string[]>;
  count(task: CountTask): Promise<number>;
  diskUsage(task: DiskUsageTask): Promise<DiskUsage>;
  commit(parcel: SerializedWrites): Promise<void>;
  gather(task: BuildSlice): Promise<GatherState>;
  fill(task: BuildSlice): Promise<FillState>;
  discard(index: number): Promise<void>;
  drop(index: number): Promise<void>;
  checkpoint(truncate: boolean): Promise<void>;
  /** Waits for what runs. */
  close(): Promise<void>;
}

const MAX_READERS = 2;
/** Bytes of a page that is read whatever waits to be sent. */
const MAX_UNCHECKED_BYTES = 1_048_576;
const IDLE_TIMEOUT_MS = 15_000;
const CLOSE_TIMEOUT_MS = 10_000;
/** Left to itself a thread lets short-lived objects pile up to four times as much. */
const MAX_YOUNG_GENERATION_MB = 16;
/** What a reader has beyond its deadline to end of itself: one document may hold it for longer than its time. */
const GRACE_MS = 100;

interface TaskOptions {
  readonly name: string;
  readonly signal?: AbortSignal;
}

function createPool(name: string, size: number, file: string): Piscina {
  const data: ThreadWorkerData = { file };
  const pool = new Piscina({
    // The same extension as this file's, so that the built package finds its own.
    filename: new URL(`./${name}${extname(import.meta.url)}`, import.meta.url).href,
    workerData: data,
    minThreads: 0,
    maxThreads: size,
    idleTimeout: IDLE_TIMEOUT_MS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
  });
  // A thread that dies fails the task that it ran; unheard, the event would end the process.
  pool.on('error', () => undefined);
  return pool;
}

interface ThreadsOptions {
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Called when the writer is done with a task, before the caller hears of it. */
  readonly onWrite?: () => void;
  /** Whether a page of so many bytes may be read now; any may unless given. */
  readonly hasMemoryFor?: ((bytes: number) => boolean) | undefined;
}

/** Starts nothing yet. `file` is the data file. A reader that does not end at its deadline is ended and replaced. */
export function createThreads(file: string, options: ThreadsOptions = {}): Threads {
  const {
    now = Date.now,
    onWrite: onWritten = () => undefined,
    hasMemoryFor: hasRoom = () => true,
  } = options;
  // Of pages that wait for a reader none is in memory yet: each is asked about when its turn has come.
  const limited = createSemaphore(MAX_READERS);
  const pools = new Map<string, Piscina>();
  const pool = (name: string, size: number) => {
    const known = pools.get(name);
    if (known !== undefined) return known;
    const made = createPool(name, size, file);
    pools.set(name, made);
    return made;
  };
  const run = async <T>(threads: Piscina, task: unknown, options: TaskOptions): Promise<T> => {
    let outcome: ThreadResult<T>;
    try {
      outcome = await threads.run(task, options);
    } catch (error) {
      throw options.signal?.aborted ? new StoreError('timeout') : asStoreError(error);
    }
    return unwrapResult(outcome);
  };
  const read = <T>(name: string, task: { readonly deadline: number | undefined }) => {
    const readers = pool('reader-thread', MAX_READERS);
    if (task.deadline === undefined) return run<T>(readers, task, { name });
    const signal = AbortSignal.timeout(Math.max(0, task.deadline - now()) + GRACE_MS);
    return run<T>(readers, task, { name, signal });
  };
  const write = <T>(name: string, task: unknown) =>
    run<T>(pool('writer-thread', 1), task, { name }).finally(onWritten);
  return {
    find: (task, bytes = 0) =>
      limited(async () => {
        if (bytes > MAX_UNCHECKED_BYTES && !hasRoom(bytes)) throw new StoreError('busy');
        return deserializeTexts(await read<SerializedTexts>('find', task));
      }),
    count: (task) => read('count', task),
    diskUsage: (task) => read('space', task),
    commit: (parcel) => write('commit', parcel),
    gather: (task) => write('gather', task),
    fill: (task) => write('fill', task),
    discard: (index) => write('discard', index),
    drop: (index) => write('drop', index),
    checkpoint: (truncate) => write('checkpoint', truncate),
    async close() {
      await Promise.all([...pools.values()].map((entry) => entry.close()));
      pools.clear();
    },
  };
}
