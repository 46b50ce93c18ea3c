// One connection to the data file, with its prepared statements. Every thread opens its own.
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Statements are kept by their text up to this many; past it all are prepared anew on demand. */
const MAX_STATEMENTS = 1000;

export interface Connection {
  readonly db: DatabaseSync;
  /** The statement of that text, prepared once. Rows come back as arrays. */
  statement(sql: string): StatementSync;
  /**
   * Runs `work` on one snapshot of the file; `isNew` tells that nothing was read from it before. With `sharedReads`
   * it is the snapshot of all reads in this turn of the event loop: most of what a short read costs is its locks.
   */
  onSnapshot<T>(work: (isNew: boolean) => T): T;
  /** Ends the shared snapshot: whatever is read from here on sees every commit. Never throws. */
  endSnapshot(): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly file: string;
  readonly readOnly?: boolean;
  /** How long a locked file is waited for, in milliseconds; 0 never blocks the thread. */
  readonly busyMs: number;
  readonly cacheKilobytes: number;
  /** Only for a thread whose event loop turns. */
  readonly sharedSnapshots?: boolean;
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
  return new SqliteConnection(db, options.sharedSnapshots ?? false);
}

class SqliteConnection implements Connection {
  readonly db: DatabaseSync;
  readonly #sharedReads: boolean;
  readonly #statements = new Map<string, StatementSync>();
  #sharing = false;

  constructor(db: DatabaseSync, sharedReads: boolean) {
    this.db = db;
    this.#sharedReads = sharedReads;
  }

  statement(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
    const prepared = this.db.prepare(sql);
    this.#statements.set(sql, prepared);
    return prepared;
  }

  onSnapshot<T>(work: (isNew: boolean) => T): T {
    if (!this.#sharedReads) return inTransaction(this, 'read', () => work(true));
    if (this.#sharing && this.db.isTransaction) return work(false);
    this.statement('begin').run();
    this.#sharing = true;
    setImmediate(() => this.endSnapshot());
    return work(true);
  }

  endSnapshot(): void {
    if (!this.#sharing) return;
    this.#sharing = false;
    // A grave failure ends a transaction by itself.
    if (this.db.isTransaction) endRead(this);
  }

  close(): void {
    this.endSnapshot();
    this.db.close();
  }
}

/** Runs `work` in one transaction: all of it or nothing. `immediate` takes the write lock at once. */
export function inTransaction<T>(connection: Connection, kind: 'read' | 'immediate', work: () => T): T {
  connection.endSnapshot();
  connection.statement(kind === 'read' ? 'begin' : 'begin immediate').run();
  try {
    const result = work();
    connection.statement('commit').run();
    return result;
  } catch (error) {
    rollBack(connection.db);
    throw error;
  }
}

/**
 * Ends a transaction that has read only. When one of its reads failed, on a damaged page for instance, `commit` reports
 * that failure again, after it has ended the transaction. The read's own caller has heard of it.
 */
function endRead(connection: Connection): void {
  try {
    connection.statement('commit').run();
  } catch {
    rollBack(connection.db);
  }
}

/** Undoes what is open. A failure of that is the one that led here: the file is read anew by the next transaction. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('rollback');
  } catch {
    // Reported already, by whoever rolls back.
  }
}

const SQLITE_BUSY = 5;

/** True for the driver's report that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}
