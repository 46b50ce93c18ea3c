// The embedded document store: one SQLite file, a connection on the main thread, readers and a writer beside it.
import { StoreError } from '../../errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore, Namespace } from '../ports.ts';
import { type Checkpointer, createCheckpointer } from './checkpointer.ts';
import { createWriteContext } from './commit/apply-writes.ts';
import { createWriteQueue, type WriteQueue } from './commit/write-queue.ts';
import { type Commits, createCommits } from './commits.ts';
import { createCountCache } from './count-cache.ts';
import { type Catalogue, createCatalogue } from './data-file/catalogue.ts';
import { type Connection, openConnection } from './data-file/connection.ts';
import { freeBytes, prepareDataFolder } from './data-file/data-folder.ts';
import { type FolderLock, lockFolder } from './data-file/folder-lock.ts';
import { createSchema } from './data-file/schema.ts';
import { createStorageErrorLog, type StorageErrorLog } from './data-file/storage-errors.ts';
import { createIndexSync, type IndexSync } from './index-sync.ts';
import { createQueries, type Queries } from './queries.ts';
import { asStoreError } from './threads/thread-result.ts';
import { createThreads, type Threads } from './threads/threads.ts';

export interface SqliteOptions {
  /** A folder, created when missing. The data file in it is `cloister.db`. */
  readonly path: string;
  /** How many commits may wait for their turn. */
  readonly queueLimit: number;
  /** Told of every fault of the file, the disk and the machine; nobody unless given. */
  readonly log?: Pick<Logger, 'error' | 'warn'>;
  /** Takes the folder for this store alone: a second one that asks for that is refused with `in-use`. */
  readonly exclusive?: boolean;
  /** Whether a page of so many bytes may be read now; any may unless given. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

const CACHE_SIZE_KB = 32_768;

const clock = () => performance.now();

const NO_LOG = { error: () => undefined, warn: () => undefined };

class SqliteDocuments implements DocumentStore {
  readonly #connection: Connection;
  readonly #catalogue: Catalogue;
  readonly #threads: Threads;
  readonly #queue: WriteQueue;
  readonly #wal: Checkpointer;
  readonly #queries: Queries;
  readonly #commits: Commits;
  readonly #indexing: IndexSync;
  readonly #faults: StorageErrorLog;
  readonly #lock: FolderLock | undefined;
  #closing: Promise<void> | undefined;

  constructor({ connection, file, lock }: OpenedFile, options: SqliteOptions) {
    const faults = createStorageErrorLog(options.log ?? NO_LOG, clock);
    const onError = (error: unknown) => faults.report(error);
    const catalogue = createCatalogue(connection);
    const writer = createWriteContext(connection, catalogue);
    const threads = createThreads(file, {
      onWrite: () => connection.endSnapshot(),
      hasMemoryFor: options.hasMemoryFor,
    });
    const queue = createWriteQueue(options.queueLimit);
    const free = () => freeBytes(options.path);
    const wal = createCheckpointer({ connection, threads, queue, onError, freeBytes: free, clock });
    this.#connection = connection;
    this.#catalogue = catalogue;
    this.#threads = threads;
    this.#queue = queue;
    this.#wal = wal;
    this.#queries = createQueries({ reader: writer, threads, counts: createCountCache(), clock });
    this.#commits = createCommits({ writer, threads, queue, wal, clock, onError });
    this.#indexing = createIndexSync({ writer, threads, queue, wal, onError });
    this.#faults = faults;
    this.#lock = lock;
  }

  find: DocumentStore['find'] = (ns, query, options = {}) =>
    this.#answer(() => this.#queries.find(ns, query, options));

  findText: DocumentStore['findText'] = (ns, query, options = {}) =>
    this.#answer(() => this.#queries.findText(ns, query, options));

  count: DocumentStore['count'] = (ns, filter, options = {}) =>
    this.#answer(() => this.#queries.count(ns, filter, options));

  commit: DocumentStore['commit'] = (writes, options = {}) =>
    this.#answer(() => this.#commits.commit(writes, options));

  ensureIndexes: DocumentStore['ensureIndexes'] = async (ns, indexes) => {
    const ensured = await this.#answer(() => this.#indexing.ensure(ns, indexes));
    const built = ensured.built.catch((error: unknown) => {
      throw asStoreError(error);
    });
    // Whoever does not wait for it is not to be ended by it; the log hears of it in any case.
    built.catch(() => undefined);
    return { built };
  };

  watch: DocumentStore['watch'] = (listener) => this.#commits.onCommit(listener);

  stats: DocumentStore['stats'] = (ns, options = {}) => this.#answer(() => this.#queries.stats(ns, options));

  collections(): Promise<readonly Namespace[]> {
    return this.#answer(async () => {
      this.#catalogue.refresh();
      const filled = this.#catalogue.list().filter((entry) => entry.documents > 0);
      return filled.map((entry) => entry.ns);
    });
  }

  health(): Promise<void> {
    return this.#answer(async () => {
      this.#connection.statement('select 1 from collections').get();
    });
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Runs one operation of the port: whatever fails in it is a StoreError, and the operator hears of every fault. */
  async #answer<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw new StoreError('unavailable', { cause: 'the store is closed' });
    try {
      return await work();
    } catch (error) {
      this.#faults.report(error);
      throw asStoreError(error);
    }
  }

  async #close(): Promise<void> {
    try {
      await this.#indexing.close();
      await this.#commits.flushed();
      await this.#queue.idle();
      await this.#wal.idle();
      await this.#threads.close();
      this.#connection.close();
    } finally {
      this.#lock?.release();
    }
  }
}

interface OpenedFile {
  readonly connection: Connection;
  readonly file: string;
  readonly lock: FolderLock | undefined;
}

function openFile(options: SqliteOptions): OpenedFile {
  const { log = NO_LOG } = options;
  const file = prepareDataFolder(options.path, (message) => log.warn({}, message));
  const lock = options.exclusive === true ? lockFolder(options.path, Date.now) : undefined;
  try {
    const connection = openConnection({
      file,
      busyMs: 0,
      cacheKilobytes: CACHE_SIZE_KB,
      sharedSnapshots: true,
    });
    try {
      createSchema(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    return { connection, file, lock };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/**
 * Opens the store, creating folder and file when missing. Rejects with `unavailable` or `damaged` when that fails, with
 * `in-use` when another store has the folder exclusively.
 */
export async function openSqliteDocuments(options: SqliteOptions): Promise<DocumentStore> {
  try {
    return new SqliteDocuments(openFile(options), options);
  } catch (error) {
    throw asStoreError(error);
  }
}
