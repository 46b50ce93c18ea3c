// Results of worker threads. Structured clone drops fields of errors, so an error is sent as plain data and rebuilt here.
import { StoreError } from '../../../errors/errors.ts';
import {
  asStoreError,
  StorageError,
  type StorageErrorKind,
  storageErrorKindOf,
} from '../data-file/storage-errors.ts';

export type ThreadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: ThreadError };

interface ThreadError {
  readonly reason: StoreError['reason'];
  readonly index: number | undefined;
  readonly fields: readonly string[];
  readonly kind: StorageErrorKind | undefined;
  /** Message of the driver, for the log. */
  readonly detail: string;
}

/** Runs `work` and returns its value or its error as data. Errors other than StoreErrors become `unavailable` or `damaged`. */
export function captureResult<T>(work: () => T): ThreadResult<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const storeError = asStoreError(error);
    const { reason, index, fields, cause } = storeError;
    const detail = cause instanceof Error ? cause.message : String(cause ?? '');
    return { ok: false, error: { reason, index, fields, kind: storageErrorKindOf(storeError), detail } };
  }
}

/** Returns the value of a result, or throws its error as a StoreError. */
export function unwrapResult<T>(result: ThreadResult<T>): T {
  if (result.ok) return result.value;
  const { reason, index, fields, kind, detail } = result.error;
  throw new StoreError(reason, {
    fields,
    ...(index === undefined ? {} : { index }),
    ...(kind === undefined ? {} : { cause: new StorageError(kind, detail) }),
  });
}
