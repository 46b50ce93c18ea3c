// Opens the document store that the configuration names.
import { resolve } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import type { DocumentStore } from '../ports.ts';
import { type DataCheck, openDataCheck } from '../sqlite-documents/check/data-check.ts';
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
  /** How many commits may wait for their turn, where the store has turns. */
  readonly queueLimit: number;
  /** Bound of one operation that comes without a deadline, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** For a server: no other may have the data folder. Commands work beside one. */
  readonly exclusive?: boolean;
  /** Whether a page of so many bytes may be read now, beside those that wait to be sent; any may unless given. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/**
 * The store of this configuration. Rejects with `unavailable` when the embedded one cannot be opened, with `in-use` when
 * another server has its folder; a database server that is away is no error here, each operation says so until it comes.
 */
export async function openDocumentStore(
  database: DatabaseSettings,
  { cwd, queueLimit, queryMs, log, exclusive = false, hasMemoryFor: hasRoom = () => true }: OpenStoreOptions,
): Promise<DocumentStore> {
  const { engine, enableCollectionDatabases, sqlite, mongodb } = database;
  if (engine === 'mongodb') {
    // The driver takes long to load, and room: only where it is used.
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

/**
 * Opens the data of the embedded store for a check, beside a server or without one; undefined when there are none yet.
 * Throws `unavailable` when they cannot be read.
 */
export function openDatabaseCheck(
  { sqlite }: Pick<DatabaseSettings, 'sqlite'>,
  { cwd }: Pick<OpenStoreOptions, 'cwd'>,
): DataCheck | undefined {
  return openDataCheck({ path: resolve(cwd, sqlite.path) });
}
