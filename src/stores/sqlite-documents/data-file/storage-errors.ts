// Maps errors of SQLite to a StoreError for the caller and to a rate-limited log line for the operator.
import { StoreError } from '../../../errors/errors.ts';
import { createLogThrottle, type Logger } from '../../../lib/logger.ts';

export type StorageErrorKind = 'damaged' | 'full' | 'disk' | 'access' | 'locked' | 'memory' | 'unexpected';

/** An error of known kind: raised by our own checks, or received from another thread. */
export class StorageError extends Error {
  readonly kind: StorageErrorKind;

  constructor(kind: StorageErrorKind, message: string) {
    super(message);
    this.name = 'StorageError';
    this.kind = kind;
  }
}

/** SQLite's primary result codes: https://www.sqlite.org/rescode.html */
const KIND_BY_RESULT_CODE: ReadonlyMap<number, StorageErrorKind> = new Map([
  [3, 'access'], // SQLITE_PERM
  [5, 'locked'], // SQLITE_BUSY
  [6, 'locked'], // SQLITE_LOCKED
  [7, 'memory'], // SQLITE_NOMEM
  [8, 'access'], // SQLITE_READONLY
  [10, 'disk'], // SQLITE_IOERR
  [11, 'damaged'], // SQLITE_CORRUPT
  [13, 'full'], // SQLITE_FULL
  [14, 'access'], // SQLITE_CANTOPEN
  [15, 'locked'], // SQLITE_PROTOCOL
  [24, 'damaged'], // SQLITE_FORMAT
  [26, 'damaged'], // SQLITE_NOTADB
]);
const SQLITE_ERROR = 1;
const IOERR_NOMEM = 3082;

const MESSAGES: Readonly<Record<StorageErrorKind, string>> = {
  damaged:
    'the data file is damaged: requests that need the damaged pages are answered with 503; restore a backup, or recover the file (docs/troubleshooting.md)',
  full: 'the disk is full: writes are answered with 503 until there is room',
  disk: 'the disk fails to read or write the data file: affected requests are answered with 503',
  access: 'the data file cannot be opened or written: look at the owner and mode of the data folder',
  locked: 'another program has locked the data file: stop it',
  memory: 'there is not enough memory for the database',
  unexpected: 'the database failed',
};

/** Returns the kind of a storage error; undefined for expected errors such as a conflict or a closed store. */
export function storageErrorKindOf(error: unknown): StorageErrorKind | undefined {
  if (error instanceof StoreError) {
    const isStorageReason = error.reason === 'unavailable' || error.reason === 'damaged';
    return isStorageReason && error.cause instanceof Error ? storageErrorKindOf(error.cause) : undefined;
  }
  if (error instanceof StorageError) return error.kind;
  // Only text from the data file is parsed in this folder.
  if (error instanceof SyntaxError) return 'damaged';
  if (!(error instanceof Error)) return 'unexpected';
  // The driver throws for integers beyond 2^53, which the store never writes.
  if ('code' in error && error.code === 'ERR_OUT_OF_RANGE') return 'damaged';
  if (!('errcode' in error)) return 'unexpected';
  const code = Number(error.errcode);
  // Thrown by `json_extract` for a text that a damaged page has changed.
  if (code === SQLITE_ERROR && error.message.startsWith('malformed JSON')) return 'damaged';
  return code === IOERR_NOMEM ? 'memory' : (KIND_BY_RESULT_CODE.get(code & 0xff) ?? 'unexpected');
}

/** Whether the disk was full. */
export const isDiskFull = (error: unknown): boolean => storageErrorKindOf(error) === 'full';

/** Wraps errors of the driver, so that callers of the store only see StoreErrors. */
export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(storageErrorKindOf(error) === 'damaged' ? 'damaged' : 'unavailable', {
    cause: error,
  });
}

export interface StorageErrorLog {
  /** Call with every error. Storage errors are logged, expected errors are not. */
  report(error: unknown): void;
}

const LOG_INTERVAL_MS = 60_000;

/** Logs at most one line per kind and minute. `now` is in milliseconds. */
export function createStorageErrorLog(log: Pick<Logger, 'error'>, now: () => number): StorageErrorLog {
  const limit = createLogThrottle({ everyMs: LOG_INTERVAL_MS, now });
  return {
    report(error) {
      const kind = storageErrorKindOf(error);
      if (kind === undefined) return;
      const line = limit(kind);
      if (line === undefined) return;
      const cause = error instanceof StoreError ? error.cause : error;
      // Only an unexpected error is worth a stack trace.
      const details =
        kind === 'unexpected'
          ? { err: error }
          : { detail: cause instanceof Error ? cause.message : String(cause) };
      log.error({ fault: kind, ...details, ...line }, MESSAGES[kind]);
    },
  };
}
