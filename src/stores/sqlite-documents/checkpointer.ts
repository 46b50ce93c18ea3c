// Keeps the write-ahead log short. Checkpoints sync the disk, so the writer thread makes them.
import { StoreError } from '../../errors.ts';
import type { WriteQueue } from './commit/write-queue.ts';
import type { Connection } from './data-file/connection.ts';
import { isDiskFull, StorageError } from './data-file/storage-errors.ts';
import type { Threads } from './threads/threads.ts';

export interface Checkpointer {
  /** To be called after every write, also one that failed; `much` when it was more than a few documents. Never throws. */
  afterWrite(much?: boolean): void;
  /** False when so little is free that the log could not be moved any more behind `text` UTF-16 units. */
  hasDiskSpace(text: number): boolean;
  /**
   * Runs `write`, which has its turn in the queue and adds about `text` UTF-16 units. When there is no room for that, it empties the
   * log, which gives the disk what that took, and tries again.
   */
  withDiskSpace<T>(text: number, write: () => Promise<T>): Promise<T>;
  /** Resolves when no checkpoint runs. */
  idle(): Promise<void>;
}

interface CheckpointerDeps {
  readonly connection: Connection;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly onError: (error: unknown) => void;
  /** Bytes that are free on the disk of the data file. */
  readonly freeBytes: () => number;
  /** Milliseconds that only ever grow. */
  readonly clock: () => number;
}

const PAGE_BYTES = 4096;

/** Pages: from how many on the log is moved into the data file, and from how many on it is cut. */
const MIN_CHECKPOINT_PAGES = 8000;
const MAX_LOG_PAGES = 24_000;

const WRITES_PER_CHECK = 64;

/** With less than this free, in bytes, every write is looked at, and what adds text has to leave `RESERVE` of it. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** For moving the log, and for removals, which make room. */
const RESERVED_BYTES = 512 * 1024;
/** Bytes that one unit of text may take in log and data file together. */
const BYTES_PER_TEXT_UNIT = 6;

/** After an attempt to make room that helped nothing, milliseconds until the next. */
const SPACE_RETRY_MS = 1000;

const diskFullError = () =>
  new StoreError('unavailable', { cause: new StorageError('full', 'too little room to move the log') });

/** Watches the log of `connection`. */
export function createCheckpointer(parts: CheckpointerDeps): Checkpointer {
  const { connection, threads, queue, onError, freeBytes, clock } = parts;
  let writes = 0;
  let running: Promise<void> | undefined;
  let noRoomUntil = 0;
  let isScarce = false;

  /** Pages in the log, and those of them that are not yet in the data file. */
  const look = () => {
    // Not possible inside a transaction.
    connection.endSnapshot();
    const row = connection.statement('pragma wal_checkpoint(noop)').get() as unknown as number[];
    const [, pages = 0, moved = 0] = row;
    return { pages, left: pages - moved };
  };

  /** To move the log the data file may have to grow by as much: on a full disk it would be too late. */
  const dueCheckpoint = () => {
    const { left } = look();
    const free = freeBytes();
    isScarce = free < MIN_FREE_BYTES;
    if (left > 0 && 2 * left * PAGE_BYTES > free) return cut;
    return left > MIN_CHECKPOINT_PAGES ? move : undefined;
  };

  /** Free on the disk, and in the data file where documents were removed. */
  const roomLeft = () => {
    connection.endSnapshot();
    const [pages] = connection.statement('pragma freelist_count').get() as unknown as [number];
    return freeBytes() + pages * PAGE_BYTES;
  };

  const hasRoom = (text: number) =>
    text === 0 || !isScarce || roomLeft() >= RESERVED_BYTES + text * BYTES_PER_TEXT_UNIT;

  const cut = () => queue.run(() => threads.checkpoint(true), { internal: true });

  const move = async () => {
    await threads.checkpoint(false);
    // Long readers keep the log from being begun anew: it is cut while no write can extend it.
    if (look().pages > MAX_LOG_PAGES) await cut();
  };

  const run = async (checkpoint: () => Promise<void>) => {
    try {
      await checkpoint();
    } catch (error) {
      onError(error);
    } finally {
      running = undefined;
    }
  };

  const makeRoom = async () => {
    try {
      connection.endSnapshot();
      await threads.checkpoint(true);
    } catch (error) {
      // The write says whether there is room now.
      onError(error);
    }
  };

  return {
    afterWrite(much = false) {
      writes += 1;
      if (running !== undefined || !(much || isScarce || writes % WRITES_PER_CHECK === 0)) return;
      try {
        const checkpoint = dueCheckpoint();
        if (checkpoint !== undefined) running = run(checkpoint);
      } catch (error) {
        onError(error);
      }
    },
    async withDiskSpace(text, write) {
      const attempt = async () => {
        if (!hasRoom(text)) throw diskFullError();
        return write();
      };
      try {
        return await attempt();
      } catch (error) {
        if (!isDiskFull(error) || clock() < noRoomUntil) throw error;
      }
      await makeRoom();
      try {
        return await attempt();
      } catch (error) {
        if (isDiskFull(error)) noRoomUntil = clock() + SPACE_RETRY_MS;
        throw error;
      }
    },
    hasDiskSpace: hasRoom,
    idle: async () => running,
  };
}
