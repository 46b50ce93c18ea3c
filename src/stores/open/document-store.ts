// The database engines: each says how it is opened and checked, and whether one process has it to itself. Nothing else asks for
// the name of the engine.
import { resolve } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import type { IndexComparison } from '../index-differences.ts';
import type { DocumentStore } from '../ports.ts';
import type { DataCheck } from '../sqlite-documents/check/data-check.ts';
import { DATA_FILE, lockFolder, prepareDataFolder } from '../sqlite-documents/data-file/data-folder.ts';
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
  /** Several workers of one server have the data folder open. */
  readonly isShared?: boolean;
  /** Id of this process, by which others find what it leaves under way. Default: none. */
  readonly owner?: string;
  /** Whether a page of so many bytes may be read now, in addition to unsent responses. Default: always. */
  readonly hasMemoryFor?: (bytes: number) => boolean;
}

/** What `cloister check --data` looks at. */
export type DatabaseCheck =
  /** The data file of an embedded database, which can be repaired; undefined if there is none yet. */
  | { readonly kind: 'file'; readonly data: DataCheck | undefined }
  /** The indexes of a server, which looks after them by itself. */
  | { readonly kind: 'server'; readonly comparison: IndexComparison };

/** How the database gets into a backup and out of it. */
export type DatabaseBackup =
  /** As one file of this name in the data folder, which `copy` copies from one snapshot; false where there is none yet. */
  | {
      readonly kind: 'file';
      readonly name: string;
      copy(target: string, watch: DatabaseCopyWatch): Promise<boolean>;
    }
  /** As an export of its documents. */
  | { readonly kind: 'export' };

interface DatabaseCopyWatch {
  readonly signal: AbortSignal;
  /** Bytes that are copied, and of how many. */
  readonly onProgress: (done: number, total: number) => void;
}

interface DatabaseEngine {
  /** One process has the data to itself, and opening them for the first time makes them. Otherwise a server has them, for many. */
  readonly isEmbedded: boolean;
  readonly open: (database: DatabaseSettings, options: OpenStoreOptions) => Promise<DocumentStore>;
  readonly openCheck: (
    database: DatabaseSettings,
    options: Pick<OpenStoreOptions, 'cwd' | 'queryMs' | 'log'>,
  ) => Promise<DatabaseCheck>;
  readonly openBackup: (
    database: DatabaseSettings,
    options: Pick<OpenStoreOptions, 'cwd'>,
  ) => Promise<DatabaseBackup>;
  /** Locks the data folder, and makes it if need be, for several processes of one server. */
  readonly hold: (database: DatabaseSettings, options: Pick<OpenStoreOptions, 'cwd' | 'log'>) => () => void;
  /** Locks the data folder while nothing else may use it. */
  readonly lock: (database: DatabaseSettings, options: Pick<OpenStoreOptions, 'cwd'>) => () => void;
}

const SQLITE: DatabaseEngine = {
  isEmbedded: true,
  open({ sqlite }, { cwd, queueLimit, log, exclusive = false, isShared = false, hasMemoryFor = () => true }) {
    const path = resolve(cwd, sqlite.path);
    return openSqliteDocuments({ path, queueLimit, log, exclusive, isShared, hasMemoryFor });
  },
  async openCheck({ sqlite }, { cwd }) {
    // Imported on demand: no server needs it.
    const { openDataCheck } = await import('../sqlite-documents/check/data-check.ts');
    return { kind: 'file', data: openDataCheck({ path: resolve(cwd, sqlite.path) }) };
  },
  async openBackup({ sqlite }, { cwd }) {
    const { copyDataFile } = await import('../sqlite-documents/data-file/copy-data-file.ts');
    const path = resolve(cwd, sqlite.path);
    return {
      kind: 'file',
      name: DATA_FILE,
      copy: (target, watch) => copyDataFile({ path, target, ...watch }),
    };
  },
  hold({ sqlite }, { cwd, log }) {
    const path = resolve(cwd, sqlite.path);
    prepareDataFolder(path, (message) => log.warn({}, message));
    const lock = lockFolder(path, Date.now);
    return () => lock.release();
  },
  lock({ sqlite }, { cwd }) {
    const lock = lockFolder(resolve(cwd, sqlite.path), Date.now);
    return () => lock.release();
  },
};

const MONGODB: DatabaseEngine = {
  isEmbedded: false,
  async open({ enableCollectionDatabases, mongodb }, { queryMs, log, owner, hasMemoryFor = () => true }) {
    // Imported on demand: the driver takes long to load.
    const { openMongoDocuments } = await import('../mongo-documents/store.ts');
    const { uri = '', ...pool } = mongodb;
    return openMongoDocuments({
      uri,
      owner,
      ...pool,
      separateDatabases: enableCollectionDatabases,
      queryMs,
      log,
      hasMemoryFor,
    });
  },
  async openCheck({ enableCollectionDatabases, mongodb }, { queryMs, log }) {
    const { openMongoComparison } = await import('../mongo-documents/indexes/index-comparison.ts');
    const { uri = '', ...pool } = mongodb;
    const options = { uri, ...pool, separateDatabases: enableCollectionDatabases, queryMs, log };
    return { kind: 'server', comparison: await openMongoComparison(options) };
  },
  openBackup: async () => ({ kind: 'export' }),
  hold: () => () => undefined,
  lock: () => () => undefined,
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

/** Whether this process has the database to itself: an embedded one that no other worker serves. Commands may still change it. */
export function isSoleProcess({
  database,
  server,
}: {
  readonly database: Pick<DatabaseSettings, 'engine'>;
  readonly server: { readonly workers: number };
}): boolean {
  return isEmbeddedDatabase(database) && server.workers === 1;
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

/** Opens the way of the database into a backup and out of it, which needs no open store. */
export function openDatabaseBackup(
  database: DatabaseSettings,
  options: Pick<OpenStoreOptions, 'cwd'>,
): Promise<DatabaseBackup> {
  return ENGINES[database.engine].openBackup(database, options);
}

/**
 * Locks an existing data folder against servers, where the engine has it to itself; returns what ends that. Throws `in-use` where
 * a server runs.
 */
export function lockDataFolder(
  database: DatabaseSettings,
  options: Pick<OpenStoreOptions, 'cwd'>,
): () => void {
  return ENGINES[database.engine].lock(database, options);
}

/**
 * Locks the data folder of an embedded database against other servers, for processes that open it without a lock of their own;
 * returns what ends that. Throws `in-use` where a server runs.
 */
export function holdDatabase(
  database: DatabaseSettings,
  options: Pick<OpenStoreOptions, 'cwd' | 'log'>,
): () => void {
  return ENGINES[database.engine].hold(database, options);
}
