// Removes the files of removed records after the commit: at once, and again later where that failed or a crash came between.
import { StoreError } from '../../../errors/errors.ts';
import { type Pause, pause as pauseOnClock } from '../../../lib/async/retry.ts';
import { createLogThrottle } from '../../../lib/logger.ts';
import { filterAfterId, MATCH_ALL } from '../../../stores/filter.ts';
import type { Namespace, StoredDocument } from '../../../stores/ports.ts';
import {
  claimEntry,
  createEntries,
  decodeEntry,
  REMOVALS_NAMESPACE,
  type RemovalEntry,
} from './removal-entries.ts';
import { createRemoveFiles, type RemoveFilesDeps } from './remove-files.ts';

interface FileRemovalsDeps extends Omit<RemoveFilesDeps, 'warn'> {
  readonly generateId: () => string;
  /** No other server uses the store: claims of an earlier process have ended. */
  readonly isSole: boolean;
  readonly log: { warn(fields: object, message: string): void };
  readonly pause?: Pause | undefined;
}

export interface FileRemovals {
  /** Creates the entries for records, to be stored in the commit that removes them. */
  createEntries(namespace: Namespace, records: readonly StoredDocument[]): readonly RemovalEntry[];
  /**
   * Removes the files of entries that have just been stored. Resolves when they are gone, on a failure, or after two
   * seconds; the rest is done in the background. Never rejects.
   */
  removeNow(entries: readonly RemovalEntry[]): Promise<void>;
  /**
   * Goes once through all entries that no server has claimed. Resolves with the number of remaining entries; a file that
   * cannot be removed is logged. Rejects with a StoreError when the entries cannot be read.
   */
  retryAll(): Promise<number>;
  /** Repeats `retryAll` in the background. */
  start(): void;
  /** Waits for running removals and starts no more. */
  close(): Promise<void>;
}

/** Milliseconds that a request waits for the removal of files. */
const REQUEST_WAIT_MS = 2000;
/** Milliseconds that a claim must still last when work on its entry starts. */
const MIN_CLAIM_MS = 20_000;
const ENTRIES_PER_PAGE = 50;
/** Milliseconds between two rounds: doubled while entries remain, the maximum when none do. */
const MIN_INTERVAL_MS = 15_000;
const MAX_INTERVAL_MS = 600_000;
const LOG_INTERVAL_MS = 60_000;

/** Creates the removals. Nothing is read before `retryAll` or `start`. */
export function createFileRemovals(options: FileRemovalsDeps): FileRemovals {
  const { store, generateId, now, queryMs, isSole, log, pause = pauseOnClock } = options;
  const by = generateId();
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const limit = createLogThrottle({ everyMs: LOG_INTERVAL_MS, now });
  let waiting = new AbortController();
  const within = () => ({ deadline: now() + queryMs });
  const warn = (fields: object, message: string) => {
    const line = limit(message);
    if (line !== undefined) log.warn({ ...fields, ...line }, message);
  };
  const complete = createRemoveFiles({ ...options, warn });
  const track = <T>(work: Promise<T>): Promise<T> => {
    const ended = () => running.delete(work);
    running.add(work);
    work.then(ended, ended);
    return work;
  };

  const failed = (error: unknown) => {
    warn({ err: error }, 'could not remove files of deleted records: will retry');
  };

  const completeAll = async (entries: readonly RemovalEntry[]): Promise<void> => {
    try {
      for (const entry of entries) {
        // After its claim another server may take the entry.
        if (closing.signal.aborted || now() > entry.claimedUntil - MIN_CLAIM_MS) return waiting.abort();
        await complete(entry, false);
      }
    } catch (error) {
      failed(error);
      waiting.abort();
    }
  };

  /** True when the entry is gone. */
  const takeOver = async (entry: RemovalEntry): Promise<boolean> => {
    const isFree = entry.claimedUntil <= now() || (isSole && entry.claimedBy !== by);
    if (!isFree || closing.signal.aborted) return false;
    try {
      const claimed = claimEntry(entry, { by, at: now() });
      await store.commit([claimed.write], within());
      await complete(claimed.entry, true);
      return true;
    } catch (error) {
      // Another server has claimed it.
      if (!(error instanceof StoreError && error.reason === 'conflict')) failed(error);
      return false;
    }
  };

  const retryAll = async (): Promise<number> => {
    let left = 0;
    let filter = MATCH_ALL;
    for (;;) {
      const query = { filter, sort: [], skip: 0, limit: ENTRIES_PER_PAGE };
      const found = await store.find(REMOVALS_NAMESPACE, query, within());
      for (const stored of found) if (!(await takeOver(decodeEntry(stored)))) left += 1;
      const last = found.at(-1);
      if (last === undefined || found.length < ENTRIES_PER_PAGE) return left;
      filter = filterAfterId(last._id);
    }
  };

  const repeat = async (): Promise<void> => {
    for (let wait = MIN_INTERVAL_MS; !closing.signal.aborted; ) {
      waiting = new AbortController();
      const left = await retryAll().catch((error: unknown) => {
        failed(error);
        return 1;
      });
      wait = left === 0 ? MAX_INTERVAL_MS : wait;
      await pause(wait, AbortSignal.any([waiting.signal, closing.signal]));
      // An entry of a request has failed meanwhile: it is retried soon, but not at once.
      if (waiting.signal.aborted) await pause(MIN_INTERVAL_MS, closing.signal);
      wait = left === 0 ? MIN_INTERVAL_MS : Math.min(2 * wait, MAX_INTERVAL_MS);
    }
  };

  return {
    createEntries: (namespace, records) => createEntries(namespace, records, { by, at: now(), generateId }),
    async removeNow(entries) {
      if (entries.length === 0) return;
      const done = new AbortController();
      const work = track(completeAll(entries)).finally(() => done.abort());
      await Promise.race([work, pause(REQUEST_WAIT_MS, AbortSignal.any([done.signal, closing.signal]))]);
    },
    retryAll: () => track(retryAll()),
    start: () => void track(repeat()),
    async close() {
      closing.abort();
      await Promise.allSettled(running);
    },
  };
}
