// Opens the document store that the configuration names.
import { resolve } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import type { IndexComparison } from '../index-differences.ts';
import type { DocumentStore } from '../ports.ts';
import type { DataCheck } from '../sqlite-documents/check/data-check.ts';
import { openSqliteDocuments } from '../sqlite-documents/store.ts';

/** The block `database` of the configuration. */
interface DatabaseSettings {
  readonly engine: 'sqlite' | 'mongodb';
  readonly enableCollectionDatabases: boolean;
  readonly sqlite: { readonly path: string };
  readonly mongodb: {
    readonly uri?: string | undefined;
    readonly maxPoolSize: number;
    readonly minPoolSize: number;
  };
}

interface OpenStoreOptions {
  /** Relative paths start here. */
  readonly cwd: string;
  /** How many commits may wait in the queue of the embedded store. */
  readonly queueLimit: number;
  /** Time limit of an operation without a deadline, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Locks the data folder against other servers. Commands do without, as they run next to one. */
  readonly exclusive?: boolean;
  /** Whether a page of so many bytes may be read now, in addition to unsent responses. Default: always. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/**
 * Opens the store that the configuration names. The embedded one rejects with `unavailable` if it cannot be opened, with `in-use`
 * if another server has locked its folder. MongoDB connects in the background: until then each operation rejects.
 */
export async function openDocumentStore(
  database: DatabaseSettings,
  { cwd, queueLimit, queryMs, log, exclusive = false, hasMemoryFor: hasRoom = () => true }: OpenStoreOptions,
): Promise<DocumentStore> {
  const { engine, enableCollectionDatabases, sqlite, mongodb } = database;
  if (engine === 'mongodb') {
    // Imported on demand: the driver takes long to load.
    const { openMongoDocuments } = await import('../mongo-documents/store.ts');
    const { uri = '', ...pool } = mongodb;
    return openMongoDocuments({
      ...{ uri, ...pool, separateDatabases: enableCollectionDatabases },
      ...{ queryMs, log, hasMemoryFor: hasRoom },
    });
  }
  return openSqliteDocuments({
    path: resolve(cwd, sqlite.path),
    queueLimit,
    log,
    exclusive,
    hasMemoryFor: hasRoom,
  });
}

/** Opens the comparison of the indexes of a database server with declared ones. Connects in the background. */
export async function openServerComparison(
  { enableCollectionDatabases, mongodb }: DatabaseSettings,
  { queryMs, log }: Pick<OpenStoreOptions, 'queryMs' | 'log'>,
): Promise<IndexComparison> {
  const { openMongoComparison } = await import('../mongo-documents/indexes/declared-indexes.ts');
  const { uri = '', ...pool } = mongodb;
  return openMongoComparison({ uri, ...pool, separateDatabases: enableCollectionDatabases, queryMs, log });
}

/**
 * Opens the data file of the embedded store for a check, which may run next to a server; undefined if there is no file.
 * Rejects with `unavailable` if it cannot be read.
 */
export async function openDatabaseCheck(
  { sqlite }: Pick<DatabaseSettings, 'sqlite'>,
  { cwd }: Pick<OpenStoreOptions, 'cwd'>,
): Promise<DataCheck | undefined> {
  // Imported on demand: no server needs it.
  const { openDataCheck } = await import('../sqlite-documents/check/data-check.ts');
  return openDataCheck({ path: resolve(cwd, sqlite.path) });
}
