// The database engines: each says how it is opened and checked, and whether one process has it to itself. Nothing else asks for
// the name of the engine.
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

/** What `cloister check --data` looks at. */
export type DatabaseCheck =
  /** The data file of an embedded database, which can be repaired; undefined if there is none yet. */
  | { readonly kind: 'file'; readonly data: DataCheck | undefined }
  /** The indexes of a server, which looks after them by itself. */
  | { readonly kind: 'server'; readonly comparison: IndexComparison };

interface DatabaseEngine {
  /** One process has the data to itself, and opening them for the first time makes them. Otherwise a server has them, for many. */
  readonly isEmbedded: boolean;
  readonly open: (database: DatabaseSettings, options: OpenStoreOptions) => Promise<DocumentStore>;
  readonly openCheck: (
    database: DatabaseSettings,
    options: Pick<OpenStoreOptions, 'cwd' | 'queryMs' | 'log'>,
  ) => Promise<DatabaseCheck>;
}

const SQLITE: DatabaseEngine = {
  isEmbedded: true,
  open: ({ sqlite }, { cwd, queueLimit, log, exclusive = false, hasMemoryFor = () => true }) =>
    openSqliteDocuments({ path: resolve(cwd, sqlite.path), queueLimit, log, exclusive, hasMemoryFor }),
  async openCheck({ sqlite }, { cwd }) {
    // Imported on demand: no server needs it.
    const { openDataCheck } = await import('../sqlite-documents/check/data-check.ts');
    return { kind: 'file', data: openDataCheck({ path: resolve(cwd, sqlite.path) }) };
  },
};

const MONGODB: DatabaseEngine = {
  isEmbedded: false,
  async open({ enableCollectionDatabases, mongodb }, { queryMs, log, hasMemoryFor = () => true }) {
    // Imported on demand: the driver takes long to load.
    const { openMongoDocuments } = await import('../mongo-documents/store.ts');
    const { uri = '', ...pool } = mongodb;
    return openMongoDocuments({
      ...{ uri, ...pool, separateDatabases: enableCollectionDatabases },
      ...{ queryMs, log, hasMemoryFor },
    });
  },
  async openCheck({ enableCollectionDatabases, mongodb }, { queryMs, log }) {
    const { openMongoComparison } = await import('../mongo-documents/indexes/declared-indexes.ts');
    const { uri = '', ...pool } = mongodb;
    const options = { uri, ...pool, separateDatabases: enableCollectionDatabases, queryMs, log };
    return { kind: 'server', comparison: await openMongoComparison(options) };
  },
};

/** A row per value of the setting: the type names an engine without one. */
const ENGINES: Readonly<Record<DatabaseSettings['engine'], DatabaseEngine>> = {
  sqlite: SQLITE,
  mongodb: MONGODB,
};

/** Whether one process has the database to itself, so that what it alone knows of is nobody else's. */
export function isEmbeddedDatabase({ engine }: Pick<DatabaseSettings, 'engine'>): boolean {
  return ENGINES[engine].isEmbedded;
}

/**
 * Opens the store that the configuration names. The embedded one rejects with `unavailable` if it cannot be opened, with `in-use`
 * if another server has locked its folder. MongoDB connects in the background: until then each operation rejects.
 */
export async function openDocumentStore(
  database: DatabaseSettings,
  options: OpenStoreOptions,
): Promise<DocumentStore> {
  return ENGINES[database.engine].open(database, options);
}

/**
 * Opens what the engine offers of a check, which may run next to a server. Rejects with `unavailable` if a data file cannot be
 * read; a server is connected to in the background.
 */
export async function openDatabaseCheck(
  database: DatabaseSettings,
  options: Pick<OpenStoreOptions, 'cwd' | 'queryMs' | 'log'>,
): Promise<DatabaseCheck> {
  return ENGINES[database.engine].openCheck(database, options);
}
