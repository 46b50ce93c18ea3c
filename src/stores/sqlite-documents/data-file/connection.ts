// A connection to the data file: its statements, snapshots and transactions, limits on what one operation may use of the thread, and the
// check of documents as they are read, since a damaged page returns arbitrary bytes. Every thread has its own connection.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreError } from '../../../errors/errors.ts';
import { retry } from '../../../lib/async/retry.ts';
import type { StoredDocument } from '../../ports.ts';
import { StorageError } from './storage-errors.ts';

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

/** Makes the function that returns a statement by the number of its table, without making and hashing its text each time. */
export function tableStatements(
  connection: Connection,
  sqlOf: (n: number) => string,
): (n: number) => StatementSync {
  const known = new Map<number, StatementSync>();
  return (n) => {
    const found = known.get(n);
    if (found !== undefined) return found;
    const statement = connection.statement(sqlOf(n));
    // Of a site with more tables than this, all of them would stay in memory.
    if (known.size >= MAX_STATEMENTS) known.clear();
    known.set(n, statement);
    return statement;
  };
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

/** Wait of `retryWhileBusy` without a deadline, and between two attempts: less than other processes rest between long turns. */
const BUSY_TIMEOUT_MS = 5000;
const BUSY_RETRY_MS = 1;

/** Runs `work` until no other process holds the lock. Throws `timeout` after `deadline` (epoch milliseconds; default: in 5 s). */
export async function retryWhileBusy<T>(work: () => T, deadline: number | undefined): Promise<T> {
  const end = deadline ?? Date.now() + BUSY_TIMEOUT_MS;
  return retry(work, {
    shouldRetry: isBusy,
    delayMs: () => BUSY_RETRY_MS,
    checkDeadline: () => assertBeforeDeadline(end),
  });
}

/** Thrown when work is too long for the main thread. It is then repeated on another thread. */
export class WorkLimitExceeded extends Error {}

export interface WorkLimit {
  /** Called once per step with the text it processed. Throws to end the work. */
  tick(size: number): void;
}

const TICKS_PER_CHECK = 16;
const TEXT_PER_CHECK = 20_000;

/** Throws `WorkLimitExceeded` after `ms` milliseconds or `size` units of text. */
export function createWorkLimit(ms: number, size: number, clock: () => number): WorkLimit {
  const end = clock() + ms;
  let ticks = 0;
  let remaining = size;
  return {
    tick(spent) {
      remaining -= spent;
      ticks += 1;
      if (remaining < 0 || (ticks % TICKS_PER_CHECK === 0 && clock() > end)) throw new WorkLimitExceeded();
    },
  };
}

/** Throws a `timeout` StoreError after `deadline` (epoch milliseconds; undefined: never). */
export function createDeadlineLimit(deadline: number | undefined, now: () => number = Date.now): WorkLimit {
  let ticks = TICKS_PER_CHECK;
  let text = 0;
  return {
    tick(size) {
      ticks += 1;
      text += size;
      if (ticks < TICKS_PER_CHECK && text < TEXT_PER_CHECK) return;
      ticks = 0;
      text = 0;
      assertBeforeDeadline(deadline, now);
    },
  };
}

/** Throws a `timeout` StoreError if `deadline` has passed. */
export function assertBeforeDeadline(deadline: number | undefined, now: () => number = Date.now): void {
  if (deadline !== undefined && now() > deadline) throw new StoreError('timeout');
}

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Returns the text of a document. Throws `damaged` for other values. Only the first and last character are checked: cheap. */
export function documentText(value: unknown): string {
  if (
    typeof value === 'string' &&
    value.charCodeAt(0) === OPEN &&
    value.charCodeAt(value.length - 1) === CLOSE
  )
    return value;
  throw new StorageError('damaged', 'a row of a collection contains no document');
}

/** Parses the text of a document. Throws `damaged` for any other text. */
export function parseDocument(text: string): StoredDocument {
  try {
    const document = JSON.parse(text) as StoredDocument;
    if (typeof document._id === 'string') return document;
  } catch {
    // Replaced below: the message of the parser would quote the document.
  }
  throw new StorageError('damaged', 'the text of a document is not valid');
}
