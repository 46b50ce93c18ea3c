// The two error classes: `AppError` is meant for clients, `StoreError` is thrown by store adapters. And how the second becomes the
// first: one row for each reason.

import { ERRORS } from './error-catalogue.ts';
import type { ErrorCatalogueEntry } from './file-errors.ts';
import { isOutOfResources, StartError } from './start-error.ts';

export type ErrorCode = keyof typeof ERRORS;

/** An item of `errors` in a response. Other members are for clients of the older dialect. */
export interface ErrorItem {
  readonly field?: string;
  readonly message: string;
  readonly code?: string;
  readonly title?: string;
  readonly details?: string;
  readonly hookName?: string;
  /** Position of the document in a batch, from 0. */
  readonly index?: number;
  readonly [extra: string]: unknown;
}

interface AppErrorOptions {
  /** Replaces the status of the catalogue, at the request of a custom endpoint. */
  readonly status?: number;
  /** Replaces the message of the catalogue in the single item that is created if `items` is absent. */
  readonly message?: string;
  readonly field?: string;
  readonly items?: readonly ErrorItem[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds for `Retry-After`, in place of the catalogue's. */
  readonly retryAfter?: number;
  /** Members of the body beside `errors`. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A body can have a million errors, in names of a megabyte. */
const MAX_ITEMS = 100;
const MAX_TEXT = 1000;
/** Seconds for `Retry-After` where posted code asks for the status 503. */
const DEFAULT_RETRY_AFTER = 2;

const shortened = (text: string) =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;

/** The first items with shortened texts, and the number of the others. A last one takes no more room than its number. */
function limitItems(items: readonly ErrorItem[], code: ErrorCode): readonly ErrorItem[] {
  const count = items.length > MAX_ITEMS + 1 ? MAX_ITEMS : items.length;
  const listed = items.slice(0, count).map((item) => ({
    ...item,
    ...(item.field !== undefined && { field: shortened(item.field) }),
    message: shortened(item.message),
    ...(item.details !== undefined && { details: shortened(item.details) }),
  }));
  const omitted = items.length - listed.length;
  return omitted === 0 ? listed : [...listed, { message: `${omitted} more problems are not listed`, code }];
}

function retryHeader(status: number, seconds: number | undefined): Readonly<Record<string, string>> {
  if (seconds === undefined && status !== 503) return {};
  return { 'Retry-After': String(seconds ?? DEFAULT_RETRY_AFTER) };
}

/** An error that is meant for the client, with the status, items and headers of the response. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly items: readonly ErrorItem[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    const entry: ErrorCatalogueEntry = ERRORS[code];
    const message = options.message ?? entry.message;
    super(message, { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.status = options.status ?? entry.status;
    const defaultItems = [
      { ...(options.field === undefined ? {} : { field: options.field }), message, code },
    ];
    this.items = limitItems(options.items ?? defaultItems, code);
    this.headers = {
      ...retryHeader(this.status, options.retryAfter ?? entry.retryAfter),
      ...options.headers,
    };
    this.body = options.body ?? {};
  }
}

type StoreErrorReason =
  | 'conflict'
  | 'damaged'
  | 'duplicate'
  | 'failed'
  | 'filter-too-large'
  | 'in-use'
  | 'index-conflict'
  | 'parallel-arrays'
  | 'refused'
  | 'too-large'
  | 'too-much'
  | 'unavailable'
  | 'timeout'
  | 'busy';

interface StoreErrorOptions {
  /** Default: the database. */
  readonly store?: StoreError['store'];
  readonly index?: number;
  readonly fields?: readonly string[];
  readonly explanation?: string;
  readonly cause?: unknown;
}

/** An error of a store adapter. The vendor's error, if any, is the `cause` and never leaves the server. */
export class StoreError extends Error {
  readonly reason: StoreErrorReason;
  /** The store that failed. */
  readonly store: 'database' | 'media';
  /** Which write of a commit failed. */
  readonly index: number | undefined;
  /**
   * The paths of the index that a `duplicate` breaks or an `index-conflict` is about, those that hold `parallel-arrays`, or
   * those that a rule of the database is about which made it refuse a write, where it says so.
   */
  readonly fields: readonly string[];
  /** A sentence for the client; undefined if the reason is enough. */
  readonly explanation: string | undefined;

  constructor(reason: StoreErrorReason, options: StoreErrorOptions = {}) {
    super(`store: ${reason}`, { cause: options.cause });
    this.name = 'StoreError';
    this.reason = reason;
    this.store = options.store ?? 'database';
    this.index = options.index;
    this.fields = options.fields ?? [];
    this.explanation = options.explanation;
  }
}

/** The code of an error, such as `ENOENT` of the operating system or a number of a database; undefined for any other value. */
export function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** A `timeout` of a store with this explanation, unless the store gave one itself; any other error as it is. */
export function explainTimeout(error: unknown, explanation: string): unknown {
  const isUnexplained =
    error instanceof StoreError && error.reason === 'timeout' && error.explanation === undefined;
  return isUnexplained ? new StoreError('timeout', { explanation, cause: error }) : error;
}

const UNAVAILABLE: ReadonlySet<StoreErrorReason> = new Set([
  'unavailable',
  'damaged',
  'failed',
  'timeout',
  'busy',
]);

/** True if the store did not answer in time, or with a failure of its own: a retry may succeed. */
export function isStoreUnavailable(error: unknown): error is StoreError {
  return error instanceof StoreError && UNAVAILABLE.has(error.reason);
}

/** True if another process wrote or created the same record between the read and the commit. */
export function isLostRace(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.reason === 'conflict' || error.reason === 'duplicate');
}

/** What an item says about a field that the store error names. */
type FieldIssue = Pick<ErrorItem, 'message' | 'code'>;

interface StoreErrorRule {
  /** Of a request that hits this error anywhere but in a document that it writes. */
  readonly code: ErrorCode;
  readonly message?: string;
  readonly field?: FieldIssue;
  /** Set if the cause may be a document that the request writes: then it is a DOCUMENT_INVALID with this item. */
  readonly document?: FieldIssue;
}

const RULES: Readonly<Record<StoreErrorReason, StoreErrorRule>> = {
  unavailable: { code: 'STORE_UNAVAILABLE' },
  damaged: { code: 'STORE_UNAVAILABLE' },
  failed: { code: 'STORE_UNAVAILABLE' },
  // Only a start meets it.
  'in-use': { code: 'STORE_UNAVAILABLE' },
  timeout: { code: 'QUERY_TIMEOUT' },
  busy: { code: 'STORE_BUSY' },
  conflict: { code: 'STORE_BUSY' },
  duplicate: {
    code: 'DOCUMENT_INVALID',
    field: { message: 'must be unique', code: 'ERROR_UNIQUE' },
    document: { message: 'must be unique', code: 'ERROR_UNIQUE' },
  },
  'parallel-arrays': {
    code: 'BAD_REQUEST',
    field: { message: 'holds a list, as another field of the same index or sort does' },
    document: {
      message: 'holds a list, as another field of the same index does',
      code: 'ERROR_VALUE_INVALID',
    },
  },
  // A rule of the database rejected the write. For anything but a document of the client that is a defect of the installation.
  refused: {
    code: 'STORE_UNAVAILABLE',
    document: {
      message: 'breaks a rule that the database has for this collection',
      code: 'ERROR_VALUE_INVALID',
    },
  },
  'index-conflict': { code: 'SPECIFICATION_INVALID' },
  'too-large': { code: 'PAYLOAD_TOO_LARGE' },
  'filter-too-large': { code: 'PAYLOAD_TOO_LARGE', message: 'The filter is too large for the database' },
  'too-much': { code: 'RESULT_TOO_LARGE' },
};

/** The item for a document that the store rejected for this reason; undefined if no document can be the cause. */
export function documentIssueOf(reason: StoreErrorReason): FieldIssue | undefined {
  return RULES[reason].document;
}

function codeOf({ reason, store }: StoreError): ErrorCode {
  const { code } = RULES[reason];
  return store === 'media' && code === 'STORE_UNAVAILABLE' ? 'MEDIA_UNAVAILABLE' : code;
}

function fromStoreError(error: StoreError): AppError {
  const { message, field: issue } = RULES[error.reason];
  const code = codeOf(error);
  if (issue === undefined || error.fields.length === 0) {
    const text = message ?? error.explanation;
    return new AppError(code, { ...(text !== undefined && { message: text }), cause: error });
  }
  const position = error.index === undefined ? {} : { index: error.index };
  const items = error.fields.map((field) => ({ field, ...issue, ...position }));
  return new AppError(code, { items, cause: error });
}

/**
 * Any thrown value as an error that a client may see. Where the system has nothing left it is SERVER_EXHAUSTED, wherever that was
 * met; an unknown one becomes INTERNAL, which says nothing about its cause.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StoreError) return fromStoreError(error);
  if (error instanceof StartError || isOutOfResources(error)) {
    return new AppError('SERVER_EXHAUSTED', { cause: error });
  }
  return new AppError('INTERNAL', { cause: error });
}
