// The embedded document store: one SQLite file, a connection on the main thread, two reader threads and a writer thread.
import { StoreError } from '../../errors/errors.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore, IndexDefinition, Namespace } from '../ports.ts';
import { createBuildTurn } from './build-turn.ts';
import { createCheckpointer } from './checkpointer.ts';
import { createWriteQueue } from './commit/write-queue.ts';
import { createCommits } from './commits.ts';
import { createCountCache } from './count-cache.ts';
import { createCatalogue, createSchema } from './data-file/catalogue.ts';
import { type Connection, openConnection } from './data-file/connection.ts';
import {
  dataFileBytes,
  type FolderLock,
  freeBytes,
  lockFolder,
  prepareDataFolder,
} from './data-file/data-folder.ts';
import { asStoreError, createStorageErrorLog } from './data-file/storage-errors.ts';
import { createIndexMigrator } from './index-migrator.ts';
import { createWriteContext } from './indexes/index-update.ts';
import { createQueries } from './queries.ts';
import { createThreads } from './threads/threads.ts';

export interface SqliteOptions {
  /** A folder, created if missing. The data file in it is `cloister.db`. */
  readonly path: string;
  /** How many commits may wait for their turn. */
  readonly queueLimit: number;
  /** Logs every error of the file, the disk and the machine. Default: no log. */
  readonly log?: Pick<Logger, 'error' | 'warn'>;
  /** Locks the folder for this store: another store that asks for the same gets `in-use`. */
  readonly exclusive?: boolean;
  /** Other processes serve this folder too, and write as often as this one. */
  readonly isShared?: boolean;
  /** Whether a page of so many bytes may be read now. Default: always. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/** The kernel caches the file too. A larger cache makes commits slower: SQLite searches all of it when a page of an index was split. */
const CACHE_SIZE_KB = 8192;

const clock = () => performance.now();

const NO_LOG = { error: () => undefined, warn: () => undefined };

interface OpenedFile {
  readonly connection: Connection;
  readonly file: string;
  readonly lock: FolderLock | undefined;
}

function openFile({ path, exclusive = false, log = NO_LOG }: SqliteOptions): OpenedFile {
  const file = prepareDataFolder(path, (message) => log.warn({}, message));
  const lock = exclusive ? lockFolder(path, Date.now) : undefined;
  try {
    return { connection: openDatabase(file), file, lock };
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function openDatabase(file: string): Connection {
  const connection = openConnection({
    file,
    busyTimeoutMs: 0,
    cacheSizeKb: CACHE_SIZE_KB,
    sharedSnapshots: true,
  });
  try {
    createSchema(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Wires reads, commits and index builds to one connection and its threads. */
function createStore({ connection, file, lock }: OpenedFile, options: SqliteOptions): DocumentStore {
  const errorLog = createStorageErrorLog(options.log ?? NO_LOG, clock);
  const onError = (error: unknown) => errorLog.report(error);
  const dataFile = createWriteContext({ connection, catalogue: createCatalogue(connection) });
  const threads = createThreads(file, {
    onWrite: () => connection.endSnapshot(),
    hasMemoryFor: options.hasMemoryFor,
  });
  const { queueLimit, isShared } = options;
  const queue = createWriteQueue({ limit: queueLimit, ...(isShared === undefined ? {} : { isShared }) });
  const free = () => freeBytes(options.path);
  const checkpointer = createCheckpointer({ connection, threads, queue, onError, freeBytes: free, clock });
  const queries = createQueries({ reader: dataFile, threads, counts: createCountCache(), clock });
  const commits = createCommits({ writer: dataFile, threads, queue, checkpointer, clock, onError });
  const turn = isShared === true ? createBuildTurn(options.path) : undefined;
  const indexes = createIndexMigrator({ writer: dataFile, threads, queue, checkpointer, turn, onError });
  let closing: Promise<void> | undefined;

  const fail = (error: unknown): Promise<never> => {
    errorLog.report(error);
    return Promise.reject(asStoreError(error));
  };

  /** A read of the port: rejects with StoreErrors only, never throws, and logs the errors of the storage. */
  const read =
    <Args extends unknown[], T>(run: (...args: Args) => MaybePromise<T>) =>
    (...args: Args): MaybePromise<T> => {
      if (closing !== undefined) return fail(new StoreError('unavailable', { cause: 'the store is closed' }));
      try {
        const result = run(...args);
        return result instanceof Promise ? result.catch(fail) : result;
      } catch (error) {
        return fail(error);
      }
    };

  /** The same for an operation that always waits. */
  const operation =
    <Args extends unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> =>
      read(run)(...args);

  const close = async () => {
    try {
      await indexes.close();
      await commits.flushed();
      await queue.idle();
      await checkpointer.idle();
      await threads.close();
      connection.close();
    } finally {
      lock?.release();
    }
  };

  return {
    find: operation(queries.find),
    findText: read(queries.findText),
    findPage: read(queries.findPage),
    findByIds: read(queries.findByIds),
    count: read(queries.count),
    stats: operation(queries.stats),
    commit: operation(commits.commit),
    ensureIndexes: operation((ns: Namespace, definitions: readonly IndexDefinition[]) =>
      indexes.ensure(ns, definitions),
    ),
    collections: operation(async () => {
      dataFile.catalogue.refresh();
      const filled = dataFile.catalogue.list().filter((entry) => entry.documents > 0);
      return filled.map((entry) => entry.ns);
    }),
    health: operation(async () => {
      connection.statement('select 1 from collections').get();
    }),
    status: operation(async () => ({
      bytes: await dataFileBytes(file),
      commits: { waiting: queue.waiting(), maxWaiting: queueLimit },
    })),
    onCommit: commits.onCommit,
    close: () => (closing ??= close()),
  };
}

/**
 * Opens the store and creates folder and file if missing. Rejects with `unavailable` or `damaged` if that fails, with
 * `in-use` if another store has locked the folder.
 */
export async function openSqliteDocuments(options: SqliteOptions): Promise<DocumentStore> {
  try {
    return createStore(openFile(options), options);
  } catch (error) {
    throw asStoreError(error);
  }
}
