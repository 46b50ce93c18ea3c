// A connection to the data file with its prepared statements. Every thread has its own.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { retry } from '../../../lib/async/retry.ts';
import { assertBeforeDeadline } from './work-limit.ts';

/** Statements cached by their text. When the cache is full it is emptied. */
const MAX_STATEMENTS = 1000;

export interface Connection {
  readonly db: DatabaseSync;
  /** Returns the prepared statement of that text. Rows are arrays. */
  statement(sql: string): StatementSync;
  /**
   * Runs `work` in one snapshot of the file; `isNew` is true for the first read in it. With `sharedSnapshots` all reads of one
   * tick of the event loop share a snapshot: taking the locks is most of the cost of a short read.
   */
  onSnapshot<T>(work: (isNew: boolean) => T): T;
  /** Ends the shared snapshot, so that the next read sees every commit. Never throws. */
  endSnapshot(): void;
  close(): void;
}

export interface ConnectionOptions {
  readonly file: string;
  readonly readOnly?: boolean;
  /** Milliseconds to block the thread while the file is locked. */
  readonly busyTimeoutMs: number;
  readonly cacheSizeKb: number;
  /** Only for a thread with a running event loop. */
  readonly sharedSnapshots?: boolean;
}

/** Opens the file and creates it if it is missing. Throws errors of the driver. */
export function openConnection(options: ConnectionOptions): Connection {
  const db = new DatabaseSync(options.file, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyTimeoutMs,
    enableForeignKeyConstraints: false,
    returnArrays: true,
  });
  db.exec(`pragma cache_size=-${options.cacheSizeKb}; pragma temp_store=memory`);
  // Checkpoints sync the disk: only the writer thread runs them.
  if (options.readOnly !== true) db.exec('pragma synchronous=normal; pragma wal_autocheckpoint=0');
  return new SqliteConnection(db, options.sharedSnapshots ?? false);
}

class SqliteConnection implements Connection {
  readonly db: DatabaseSync;
  readonly #sharedSnapshots: boolean;
  readonly #statements = new Map<string, StatementSync>();
  #sharing = false;

  constructor(db: DatabaseSync, sharedSnapshots: boolean) {
    this.db = db;
    this.#sharedSnapshots = sharedSnapshots;
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
    if (!this.#sharedSnapshots) return inTransaction(this, 'read', () => work(true));
    if (this.#sharing && this.db.isTransaction) return work(false);
    this.statement('begin').run();
    this.#sharing = true;
    setImmediate(() => this.endSnapshot());
    return work(true);
  }

  endSnapshot(): void {
    if (!this.#sharing) return;
    this.#sharing = false;
    // SQLite ends a transaction by itself after some errors.
    if (this.db.isTransaction) endRead(this);
  }

  close(): void {
    this.endSnapshot();
    this.db.close();
  }
}

/** Runs `work` in one transaction, all or nothing. `immediate` takes the write lock at the start. */
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
 * Ends a transaction that only read. If one of its reads failed, on a damaged page for example, `commit` ends the transaction and
 * throws that error again. It is dropped here: the caller of the read already has it.
 */
function endRead(connection: Connection): void {
  try {
    connection.statement('commit').run();
  } catch {
    rollBack(connection.db);
  }
}

/** Rolls back an open transaction. An error here repeats the one that led to the rollback. */
function rollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('rollback');
  } catch {
    // The caller reports the first error.
  }
}

const SQLITE_BUSY = 5;

/** Whether the error says that another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === SQLITE_BUSY;
}

/** Wait of `retryWhileBusy` without a deadline, and between two attempts. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 5;

/** Runs `work` until no other process holds the lock. Throws `timeout` after `deadline` (epoch milliseconds; default: in 5 s). */
export async function retryWhileBusy<T>(work: () => T, deadline: number | undefined): Promise<T> {
  const end = deadline ?? Date.now() + BUSY_TIMEOUT_MS;
  return retry(work, {
    shouldRetry: isBusy,
    delayMs: () => BUSY_RETRY_MS,
    checkDeadline: () => assertBeforeDeadline(end),
  });
}
