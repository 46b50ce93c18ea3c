// Keeps the write-ahead log short. Checkpoints sync the disk, so the writer thread makes them.
import type { Connection } from './connection.ts';
import type { Threads } from './threads.ts';
import type { WriteQueue } from './write-queue.ts';

export interface WalKeeper {
  /** To be called after every write; `much` when it was more than a few documents. */
  wrote(much?: boolean): void;
  /** Resolves when no checkpoint runs. */
  idle(): Promise<void>;
}

interface Collaborators {
  readonly connection: Connection;
  readonly threads: Threads;
  readonly queue: WriteQueue;
  readonly onError: (error: unknown) => void;
}

/** Pages of 4 KB: from how many on the log is moved into the data file, and from how many on it is cut. */
const LONG = 8000;
const TOO_LONG = 24_000;

const WRITES_PER_LOOK = 64;

/** Watches the log of `connection`. */
export function createWalKeeper({ connection, threads, queue, onError }: Collaborators): WalKeeper {
  let writes = 0;
  let running: Promise<void> | undefined;

  /** Pages in the log, and those of them that are not yet in the data file. */
  const look = () => {
    // Not possible inside a transaction.
    connection.renew();
    const row = connection.statement('pragma wal_checkpoint(noop)').get() as unknown as number[];
    const [, pages = 0, moved = 0] = row;
    return { pages, left: pages - moved };
  };

  const checkpoint = async () => {
    try {
      await threads.checkpoint(false);
      // Long readers keep the log from being begun anew: it is cut while no write can extend it.
      if (look().pages > TOO_LONG) await queue.run(() => threads.checkpoint(true), { internal: true });
    } catch (error) {
      onError(error);
    } finally {
      running = undefined;
    }
  };

  return {
    wrote(much = false) {
      writes += 1;
      if (running !== undefined || (!much && writes % WRITES_PER_LOOK !== 0)) return;
      if (look().left > LONG) running = checkpoint();
    },
    idle: async () => running,
  };
}
