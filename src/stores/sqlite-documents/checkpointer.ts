// Checkpoints the write-ahead log. Checkpoints sync the disk, so the writer thread runs them.
import { StoreError } from '../../errors/errors.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import type { Connection } from './data-file/connection.ts';
import { isDiskFull, StorageError } from './data-file/storage-errors.ts';
import type { Threads } from './threads/threads.ts';
import type { CheckpointKind } from './threads/writer-thread.ts';

export interface Checkpointer {
  /** Call after every write, also a failed one; `isLarge` for more than a few documents. Never throws. */
  afterWrite(isLarge?: boolean): void;
  /** Whether a checkpoint would still fit on the disk after a write of `text` UTF-16 units. */
  hasDiskSpace(text: number): boolean;
  /**
   * Runs `write`, which adds about `text` UTF-16 units and already has its turn in the queue. If the disk is full it truncates the
   * log, which frees its space, and runs `write` once more.
   */
  withDiskSpace<T>(text: number, write: () => Promise<T>): Promise<T>;
  /** Resolves when no checkpoint is running. */
  idle(): Promise<void>;
}

interface CheckpointerDeps {
  readonly connection: Connection;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly onError: (error: unknown) => void;
  /** Free bytes on the disk of the data file. */
  readonly freeBytes: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
}

const PAGE_BYTES = 4096;

/**
 * Pages from which on the log is checkpointed. Most pages are written many times: the fewer the checkpoints, the fewer of these
 * versions reach the data file. Longer logs gain little more, and take longer to read after a crash.
 */
const MAX_LOG_PAGES = 16_000;

const WRITES_PER_CHECK = 64;

/** With less free space every write checks the log, and writes that add text must leave `RESERVED_BYTES` free. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** Reserved for checkpoints, and for removals, which free space. */
const RESERVED_BYTES = 512 * 1024;
/** Bytes that one unit of text may need in the log and the data file together. */
const BYTES_PER_TEXT_UNIT = 6;

/** Milliseconds between two attempts to free space. */
const SPACE_RETRY_MS = 1000;

const diskFullError = () =>
  new StoreError('unavailable', {
    cause: new StorageError('full', 'too little space to checkpoint the log'),
  });

/** Watches the log of `connection`. */
export function createCheckpointer(deps: CheckpointerDeps): Checkpointer {
  const { connection, threads, queue, onError, freeBytes, clock } = deps;
  let writes = 0;
  let running: Promise<void> | undefined;
  let diskFullUntil = 0;
  let isScarce = false;

  /** Pages of the log, and those of them that are not checkpointed yet. */
  const readLog = () => {
    // Fails inside a transaction.
    connection.endSnapshot();
    const row = connection.statement('pragma wal_checkpoint(noop)').get() as unknown as number[];
    const [, pages = 0, moved = 0] = row;
    return { pages, pending: pages - moved };
  };

  /** A checkpoint may grow the data file by the size of the log, which must happen before the disk is full. */
  const dueCheckpoint = () => {
    const { pending } = readLog();
    const free = freeBytes();
    isScarce = free < MIN_FREE_BYTES;
    if (pending > 0 && 2 * pending * PAGE_BYTES > free) return truncate;
    return pending > MAX_LOG_PAGES ? checkpoint : undefined;
  };

  /** Free space on the disk and in the data file, where documents were removed. */
  const availableBytes = () => {
    connection.endSnapshot();
    const [pages] = connection.statement('pragma freelist_count').get() as unknown as [number];
    return freeBytes() + pages * PAGE_BYTES;
  };

  const hasSpace = (text: number) =>
    text === 0 || !isScarce || availableBytes() >= RESERVED_BYTES + text * BYTES_PER_TEXT_UNIT;

  /** In the queue, where no write can extend the log. */
  const inQueue = (kind: CheckpointKind) => queue.run(() => threads.checkpoint(kind), { internal: true });
  const truncate = () => inQueue('truncate');

  const checkpoint = async () => {
    await threads.checkpoint('passive');
    // Writes and long reads meanwhile keep the log from starting over. Its file is kept: writing to a new one costs twice as much.
    if (readLog().pages > MAX_LOG_PAGES) await inQueue('restart');
  };

  const run = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      running = undefined;
    }
  };

  const freeSpace = async () => {
    try {
      connection.endSnapshot();
      await threads.checkpoint('truncate');
    } catch (error) {
      // The repeated write shows whether there is space now.
      onError(error);
    }
  };

  return {
    afterWrite(isLarge = false) {
      writes += 1;
      if (running !== undefined || !(isLarge || isScarce || writes % WRITES_PER_CHECK === 0)) return;
      try {
        const due = dueCheckpoint();
        if (due !== undefined) running = run(due);
      } catch (error) {
        onError(error);
      }
    },
    async withDiskSpace(text, write) {
      const attempt = async () => {
        if (!hasSpace(text)) throw diskFullError();
        return write();
      };
      try {
        return await attempt();
      } catch (error) {
        if (!isDiskFull(error) || clock() < diskFullUntil) throw error;
      }
      await freeSpace();
      try {
        return await attempt();
      } catch (error) {
        if (isDiskFull(error)) diskFullUntil = clock() + SPACE_RETRY_MS;
        throw error;
      }
    },
    hasDiskSpace: hasSpace,
    idle: async () => running,
  };
}
