// What crosses a thread boundary: errors do not survive it whole, so their facts travel as data.
import { StoreError } from '../../../errors.ts';
import { StorageError, type StorageErrorKind, storageErrorKindOf } from '../data-file/storage-errors.ts';

export type ThreadResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ThreadError };

interface ThreadError {
  readonly reason: StoreError['reason'];
  readonly index: number | undefined;
  readonly fields: readonly string[];
  readonly fault: StorageErrorKind | undefined;
  /** The driver's own words, for the log. */
  readonly detail: string;
}

/** Runs `work` and keeps its failure as data. Anything but a StoreError is `unavailable` or `damaged`. */
export function captureResult<T>(work: () => T): ThreadResult<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const failure = asStoreError(error);
    const { reason, index, fields, cause } = failure;
    const detail = cause instanceof Error ? cause.message : String(cause ?? '');
    return { ok: false, failure: { reason, index, fields, fault: storageErrorKindOf(failure), detail } };
  }
}

/** The value, or the failure thrown as the StoreError that it was. */
export function unwrapResult<T>(outcome: ThreadResult<T>): T {
  if (outcome.ok) return outcome.value;
  const { reason, index, fields, fault, detail } = outcome.failure;
  throw new StoreError(reason, {
    fields,
    ...(index === undefined ? {} : { index }),
    ...(fault === undefined ? {} : { cause: new StorageError(fault, detail) }),
  });
}

/** Wraps what the driver throws, so that callers only ever see StoreErrors. */
export function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  return new StoreError(storageErrorKindOf(error) === 'damaged' ? 'damaged' : 'unavailable', {
    cause: error,
  });
}
