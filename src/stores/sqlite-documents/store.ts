// The embedded document store: one SQLite file, a connection on the main thread, readers and a writer beside it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import type { DocumentStore, Namespace } from '../ports.ts';
import { type Catalogue, createCatalogue } from './catalogue.ts';
import { createWriter } from './commit.ts';
import { type Commits, createCommits } from './commits.ts';
import { type Connection, openConnection } from './connection.ts';
import { createCountCache } from './count-cache.ts';
import { createIndexing, type Indexing } from './indexing.ts';
import { asStoreError } from './outcome.ts';
import { createQueries, type Queries } from './queries.ts';
import { prepareFile } from './schema.ts';
import { createThreads, type Threads } from './threads.ts';
import { createWalKeeper, type WalKeeper } from './wal-keeper.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

export interface SqliteOptions {
  /** A folder, created when missing. The data file in it is `cloister.db`. */
  readonly path: string;
  /** How many commits may wait for their turn. */
  readonly queueLimit: number;
  /** Hears of failures that no caller waits for. */
  readonly onBackgroundError?: (error: unknown) => void;
}

const CACHE_KILOBYTES = 32_768;

const clock = () => performance.now();

class SqliteDocuments implements DocumentStore {
  readonly #connection: Connection;
  readonly #catalogue: Catalogue;
  readonly #threads: Threads;
  readonly #queue: WriteQueue;
  readonly #wal: WalKeeper;
  readonly #queries: Queries;
  readonly #commits: Commits;
  readonly #indexing: Indexing;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, file: string, options: SqliteOptions) {
    const onError = options.onBackgroundError ?? (() => undefined);
    const catalogue = createCatalogue(connection);
    const writer = createWriter(connection, catalogue);
    const threads = createThreads(file, Date.now, () => connection.renew());
    const queue = createWriteQueue(options.queueLimit);
    const wal = createWalKeeper({ connection, threads, queue, onError });
    this.#connection = connection;
    this.#catalogue = catalogue;
    this.#threads = threads;
    this.#queue = queue;
    this.#wal = wal;
    this.#queries = createQueries({ reader: writer, threads, counts: createCountCache(), clock });
    this.#commits = createCommits({ writer, threads, queue, wal, clock });
    this.#indexing = createIndexing({ writer, threads, queue, wal, onError });
  }

  find: DocumentStore['find'] = async (ns, query, options = {}) => {
    this.#assertOpen();
    return this.#queries.find(ns, query, options);
  };

  findText: DocumentStore['findText'] = async (ns, query, options = {}) => {
    this.#assertOpen();
    return this.#queries.findText(ns, query, options);
  };

  count: DocumentStore['count'] = async (ns, filter, options = {}) => {
    this.#assertOpen();
    return this.#queries.count(ns, filter, options);
  };

  commit: DocumentStore['commit'] = async (writes, options = {}) => {
    this.#assertOpen();
    return this.#commits.commit(writes, options);
  };

  ensureIndexes: DocumentStore['ensureIndexes'] = async (ns, indexes) => {
    this.#assertOpen();
    try {
      return await this.#indexing.ensure(ns, indexes);
    } catch (error) {
      throw asStoreError(error);
    }
  };

  watch: DocumentStore['watch'] = (listener) => this.#commits.watch(listener);

  stats: DocumentStore['stats'] = async (ns, options = {}) => {
    this.#assertOpen();
    return this.#queries.stats(ns, options);
  };

  async collections(): Promise<readonly Namespace[]> {
    this.#assertOpen();
    this.#catalogue.refresh();
    const filled = this.#catalogue.list().filter((entry) => entry.documents > 0);
    return filled.map((entry) => entry.ns);
  }

  async health(): Promise<void> {
    this.#assertOpen();
    try {
      this.#connection.statement('select 1 from collections').get();
    } catch (cause) {
      throw new StoreError('unavailable', { cause });
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('unavailable', { cause: 'the store is closed' });
  }

  async #close(): Promise<void> {
    await this.#indexing.close();
    await this.#commits.queued();
    await this.#queue.idle();
    await this.#wal.idle();
    await this.#threads.close();
    this.#connection.close();
  }
}

/** Opens the store, creating folder and file when missing. Rejects with `unavailable` when that fails. */
export async function openSqliteDocuments(options: SqliteOptions): Promise<DocumentStore> {
  try {
    mkdirSync(options.path, { recursive: true });
    const file = join(options.path, 'cloister.db');
    const connection = openConnection({
      file,
      busyMs: 0,
      cacheKilobytes: CACHE_KILOBYTES,
      sharedReads: true,
    });
    prepareFile(connection);
    return new SqliteDocuments(connection, file, options);
  } catch (cause) {
    throw new StoreError('unavailable', { cause });
  }
}
