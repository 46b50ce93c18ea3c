// The embedded document store: one SQLite file, a connection on the main thread, readers and a writer beside it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { StoreError } from '../../errors.ts';
import type { Filter } from '../filter.ts';
import type {
  CollectionStats,
  DocumentStore,
  FindQuery,
  IndexDefinition,
  Namespace,
  OperationOptions,
  StoredDocument,
  Write,
} from '../ports.ts';
import { createCatalogue } from './catalogue.ts';
import { applyWrites, createWriter, type Writer } from './commit.ts';
import { type Connection, openConnection } from './connection.ts';
import { createDeadline } from './meter.ts';
import { countMatches, findTexts } from './read.ts';
import { prepareFile } from './schema.ts';
import { createWriteQueue, type WriteQueue } from './write-queue.ts';

export interface SqliteOptions {
  /** A folder, created when missing. The data file in it is `cloister.db`. */
  readonly path: string;
  /** How many commits may wait for their turn. */
  readonly queueLimit: number;
  /** Hears of failures that no caller waits for. */
  readonly onBackgroundError?: (error: unknown) => void;
}

class SqliteDocuments implements DocumentStore {
  readonly #connection: Connection;
  readonly #writer: Writer;
  readonly #queue: WriteQueue;
  readonly #watchers = new Set<(changed: readonly Namespace[]) => void>();

  constructor(connection: Connection, queueLimit: number) {
    this.#connection = connection;
    this.#writer = createWriter(connection, createCatalogue(connection));
    this.#queue = createWriteQueue(queueLimit);
  }

  async find(
    ns: Namespace,
    query: FindQuery,
    options: OperationOptions = {},
  ): Promise<readonly StoredDocument[]> {
    const texts = await this.findText(ns, query, options);
    return texts.map((text) => JSON.parse(text) as StoredDocument);
  }

  async findText(
    ns: Namespace,
    query: FindQuery,
    options: OperationOptions = {},
  ): Promise<readonly string[]> {
    return findTexts(this.#writer, ns, { query, meter: createDeadline(options.deadline) });
  }

  async count(ns: Namespace, filter: Filter, options: OperationOptions = {}): Promise<number> {
    return countMatches(this.#writer, ns, { filter, meter: createDeadline(options.deadline) });
  }

  async commit(writes: readonly Write[], options: OperationOptions = {}): Promise<void> {
    await this.#queue.run(() => applyWrites(this.#writer, writes, createDeadline(options.deadline)), options);
    const changed = new Map(writes.map(({ ns }) => [JSON.stringify([ns.database, ns.collection]), ns]));
    for (const watcher of this.#watchers) watcher([...changed.values()]);
  }

  async ensureIndexes(ns: Namespace, indexes: readonly IndexDefinition[]) {
    void ns;
    void indexes;
    return { built: Promise.resolve() };
  }

  async stats(ns: Namespace): Promise<CollectionStats> {
    this.#writer.catalogue.refresh();
    const entry = this.#writer.catalogue.get(ns);
    const count = entry?.documents ?? 0;
    const size = entry?.bytes ?? 0;
    return {
      count,
      size,
      averageObjectSize: count === 0 ? 0 : size / count,
      storageSize: size,
      indexes: 0,
      totalIndexSize: 0,
      indexSizes: {},
    };
  }

  async collections(): Promise<readonly Namespace[]> {
    this.#writer.catalogue.refresh();
    return this.#writer.catalogue
      .list()
      .filter((entry) => entry.documents > 0)
      .map((entry) => entry.ns);
  }

  watch(listener: (changed: readonly Namespace[]) => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async health(): Promise<void> {
    try {
      this.#connection.statement('select 1').get();
    } catch (cause) {
      throw new StoreError('unavailable', { cause });
    }
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    this.#connection.close();
  }
}

/** Opens the store, creating folder and file when missing. Rejects with `unavailable` when that fails. */
export async function openSqliteDocuments(options: SqliteOptions): Promise<DocumentStore> {
  try {
    mkdirSync(options.path, { recursive: true });
    const connection = openConnection({
      file: join(options.path, 'cloister.db'),
      busyMs: 0,
      cacheKilobytes: 32_768,
    });
    prepareFile(connection);
    return new SqliteDocuments(connection, options.queueLimit);
  } catch (cause) {
    throw new StoreError('unavailable', { cause });
  }
}
