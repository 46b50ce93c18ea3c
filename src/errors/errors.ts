// The two error classes: `AppError` is meant for clients, `StoreError` is thrown by store adapters.
import type { ErrorCatalogueEntry } from './delivery-errors.ts';
import { ERRORS } from './error-catalogue.ts';

export type ErrorCode = keyof typeof ERRORS;

/** An item of `errors` in a response. Other members are for clients of the older dialect. */
export interface ErrorItem {
  readonly field?: string;
  readonly message: string;
  readonly code?: string;
  readonly title?: string;
  readonly details?: string;
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

/** The first items with shortened texts, and the number of the others. */
function limitItems(items: readonly ErrorItem[], code: ErrorCode): readonly ErrorItem[] {
  const listed = items.slice(0, MAX_ITEMS).map((item) => ({
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
