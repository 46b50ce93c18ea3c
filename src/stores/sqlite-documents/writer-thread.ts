// The body of the writer thread: large commits, index builds and checkpoints on a connection of its own.
import { workerData } from 'node:worker_threads';
import { type BulkBuild, createBulkBuild, type FillState, type GatherState } from './bulk-build.ts';
import { createCatalogue } from './catalogue.ts';
import { applyWrites, createWriter, type Writer } from './commit.ts';
import { openConnection } from './connection.ts';
import { type BuildTask, dropIndex } from './index-build.ts';
import { createDeadline } from './meter.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { type Parcel, unpackWrites } from './parcel.ts';
import type { ThreadData } from './reader-thread.ts';

const BUSY_MS = 5000;
const CACHE_KILOBYTES = 32_768;

const { file } = workerData as ThreadData;
let opened: Writer | undefined;
let building: BulkBuild | undefined;

/** Opened with the first task, so that a failure is that task's and not the thread's. */
function writer(): Writer {
  if (opened !== undefined) return opened;
  const connection = openConnection({ file, busyMs: BUSY_MS, cacheKilobytes: CACHE_KILOBYTES });
  // What is gathered for an index may be as large as the data.
  connection.db.exec('pragma temp_store=file');
  opened = createWriter(connection, createCatalogue(connection));
  return opened;
}

function bulk(): BulkBuild {
  building ??= createBulkBuild(writer());
  return building;
}

/** `commit` of the port. */
export function commit(parcel: Parcel): Outcome<undefined> {
  return outcomeOf(() => {
    applyWrites(writer(), unpackWrites(parcel), createDeadline(parcel.deadline));
    return undefined;
  });
}

/** The next slice of gathering the rows of a large index. */
export function gather({ index, ms }: BuildTask): Outcome<GatherState> {
  return outcomeOf(() => bulk().gather(index, ms));
}

/** The next slice of writing the rows of a large index. */
export function fill({ index, ms }: BuildTask): Outcome<FillState> {
  return outcomeOf(() => bulk().fill(index, ms));
}

/** Forgets what was gathered for an index. */
export function discard(index: number): Outcome<undefined> {
  return outcomeOf(() => {
    bulk().discard(index);
    return undefined;
  });
}

/** Drops an index by its number. */
export function drop(index: number): Outcome<undefined> {
  return outcomeOf(() => {
    dropIndex(writer(), index);
    return undefined;
  });
}

/** Moves what the write-ahead log holds into the data file; `truncate` empties the log, and needs the write lock. */
export function checkpoint(truncate: boolean): Outcome<undefined> {
  return outcomeOf(() => {
    writer().connection.db.exec(`pragma wal_checkpoint(${truncate ? 'truncate' : 'passive'})`);
    return undefined;
  });
}
