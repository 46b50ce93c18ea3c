// One connection to the data file, with its prepared statements. Every thread opens its own.
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Statements are kept by their text up to this many; past it all are prepared anew on demand. */
const MAX_STATEMENTS = 1000;

export interface Connection {
  readonly db: DatabaseSync;
  /** The statement of that text, prepared once. Rows come back as arrays. */
  statement(sql: string): StatementSync;
  close(): void;
}

export interface ConnectionOptions {
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long a locked file is waited for, in milliseconds; 0 never blocks the thread. */
  readonly busyMs: number;
  readonly cacheKilobytes: number;
}

/** Opens the file, creating it when missing. Throws what the driver throws. */
export function openConnection(options: ConnectionOptions): Connection {
  const db = new DatabaseSync(options.file, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyMs,
    enableForeignKeyConstraints: false,
    returnArrays: true,
  });
  db.exec(`pragma cache_size=-${options.cacheKilobytes}; pragma temp_store=memory`);
  // Checkpoints sync the file to disk: only the writer thread makes them.
  if (options.readOnly !== true) db.exec('pragma synchronous=normal; pragma wal_autocheckpoint=0');
  const statements = new Map<string, StatementSync>();
  return {
    db,
    statement(sql) {
      const known = statements.get(sql);
      if (known !== undefined) return known;
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      const prepared = db.prepare(sql);
      statements.set(sql, prepared);
      return prepared;
    },
    close: () => db.close(),
  };
}

/** Runs `work` in one transaction: all of it or nothing. `immediate` takes the write lock at once. */
export function inTransaction<T>(connection: Connection, kind: 'read' | 'immediate', work: () => T): T {
  connection.statement(kind === 'read' ? 'begin' : 'begin immediate').run();
  try {
    const result = work();
    connection.statement('commit').run();
    return result;
  } catch (error) {
    if (connection.db.isTransaction) connection.db.exec('rollback');
    throw error;
  }
}

const SQLITE_BUSY = 5;

/** True for the driver's report that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}
