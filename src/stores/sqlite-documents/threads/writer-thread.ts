// Entry point of the writer thread: large commits, index builds and checkpoints on a connection of its own.
import { workerData } from 'node:worker_threads';
import { applyWrites } from '../commit/apply-writes.ts';
import { deserializeWrites, type SerializedWrites } from '../commit/serialized-writes.ts';
import { createCatalogue } from '../data-file/catalogue.ts';
import {
  assertBeforeDeadline,
  createDeadlineLimit,
  isBusy,
  openConnection,
} from '../data-file/connection.ts';
import {
  type BulkBuilds,
  createBulkBuilds,
  type FillState,
  type GatherState,
} from '../indexes/bulk-build.ts';
import { type BuildSlice, dropIndex } from '../indexes/index-build.ts';
import { createWriteContext, type WriteContext } from '../indexes/index-update.ts';
import type { ThreadWorkerData } from './reader-thread.ts';
import { captureResult, type ThreadResult } from './thread-messages.ts';

const BUSY_TIMEOUT_MS = 5000;
/** Milliseconds between two attempts of a commit. */
const BUSY_RETRY_MS = 1;
const CACHE_SIZE_KB = 32_768;

const { file } = workerData as ThreadWorkerData;
let opened: WriteContext | undefined;
let building: BulkBuilds | undefined;

/** Opened by the first task, so that an error fails the task and not the thread. */
function writer(): WriteContext {
  if (opened !== undefined) return opened;
  const connection = openConnection({ file, busyTimeoutMs: BUSY_TIMEOUT_MS, cacheSizeKb: CACHE_SIZE_KB });
  // The rows of an index may be as large as the data.
  connection.db.exec('pragma temp_store=file');
  opened = createWriteContext({ connection, catalogue: createCatalogue(connection) });
  return opened;
}

function bulk(): BulkBuilds {
  building ??= createBulkBuilds(writer());
  return building;
}

const sleeper = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

function isDoneUnlessBusy(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return false;
  }
}

/**
 * Runs `work` as soon as no other process holds the lock. SQLite itself looks ever more rarely, while others write again after pauses
 * that are shorter.
 */
function whenNotBusy({ connection }: WriteContext, deadline: number | undefined, work: () => void): void {
  const end = deadline ?? Date.now() + BUSY_TIMEOUT_MS;
  connection.db.exec('pragma busy_timeout=0');
  try {
    while (!isDoneUnlessBusy(work)) {
      assertBeforeDeadline(end);
      Atomics.wait(sleeper, 0, 0, BUSY_RETRY_MS);
    }
  } finally {
    connection.db.exec(`pragma busy_timeout=${BUSY_TIMEOUT_MS}`);
  }
}

/** `DocumentStore.commit`. */
export function commit(writes: SerializedWrites): ThreadResult<undefined> {
  return captureResult(() => {
    const { deadline } = writes;
    const context = writer();
    whenNotBusy(context, deadline, () =>
      applyWrites(context, deserializeWrites(writes), createDeadlineLimit(deadline)),
    );
    return undefined;
  });
}

/** Gathers the next rows of a large index. */
export function gather({ index, ms }: BuildSlice): ThreadResult<GatherState> {
  return captureResult(() => bulk().gather(index, ms));
}

/** Writes the next rows of a large index. */
export function fill({ index, ms }: BuildSlice): ThreadResult<FillState> {
  return captureResult(() => bulk().fill(index, ms));
}

/** Deletes the gathered rows of an index. */
export function discard(index: number): ThreadResult<undefined> {
  return captureResult(() => {
    bulk().discard(index);
    return undefined;
  });
}

/** Drops an index by its number. */
export function drop(index: number): ThreadResult<undefined> {
  return captureResult(() => {
    dropIndex(writer(), index);
    return undefined;
  });
}

/** `restart` makes the next write begin the log again, `truncate` also empties its file: both need the write lock. */
export type CheckpointKind = 'passive' | 'restart' | 'truncate';

/** Checkpoints the write-ahead log. */
export function checkpoint(kind: CheckpointKind): ThreadResult<undefined> {
  return captureResult(() => {
    writer().connection.db.exec(`pragma wal_checkpoint(${kind})`);
    return undefined;
  });
}
