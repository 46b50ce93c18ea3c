// What crosses a thread boundary: errors do not survive it whole, so their facts travel as data.
import { StoreError } from '../../errors.ts';

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

interface Failure {
  readonly reason: StoreError['reason'];
  readonly index: number | undefined;
  readonly fields: readonly string[];
  /** The driver's own words, for the log. */
  readonly detail: string;
}

/** Runs `work` and keeps its failure as data. Anything but a StoreError is `unavailable`. */
export function outcomeOf<T>(work: () => T): Outcome<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    const { reason, index, fields, cause } = asStoreError(error);
    return { ok: false, failure: { reason, index, fields, detail: String(cause ?? '') } };
  }
}

/** The value, or the failure thrown as the StoreError that it was. */
export function unwrapped<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  const { reason, index, fields, detail } = outcome.failure;
  throw new StoreError(reason, {
    fields,
    ...(index === undefined ? {} : { index }),
    ...(detail === '' ? {} : { cause: detail }),
  });
}

/** Wraps what the driver throws, so that callers only ever see StoreErrors. */
export function asStoreError(error: unknown): StoreError {
  return error instanceof StoreError ? error : new StoreError('unavailable', { cause: error });
}
