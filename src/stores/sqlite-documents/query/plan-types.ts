// Query plans. Types only: `plan.ts` creates plans, `execute.ts` runs them.
import type { IndexEntry } from '../data-file/catalogue.ts';

/** Keys from `low` to below `high`, compared as bytes. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

export interface IndexAccess {
  readonly kind: 'index';
  readonly index: IndexEntry;
  readonly caseInsensitive: boolean;
  /** Ascending and disjoint. */
  readonly ranges: readonly KeyRange[];
  readonly reversed: boolean;
  /** A document may occur more than once; only the first occurrence counts. */
  readonly mayRepeat: boolean;
}

export type Access =
  /** Single documents, in this order. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Documents in `_id` order, from `low` to below `high`. */
  | {
      readonly kind: 'id-scan';
      readonly reversed: boolean;
      readonly low: string;
      /** SQLite sorts every text below every blob. */
      readonly high: string | Buffer;
    }
  /** All documents, in storage order. */
  | { readonly kind: 'scan' }
  | IndexAccess
  /** The union of several index accesses, unordered. */
  | { readonly kind: 'union'; readonly branches: readonly IndexAccess[] };

export interface Plan {
  readonly access: Access;
  /** Every document that the access finds matches the filter. */
  readonly exact: boolean;
  /** The access finds documents in the requested order. */
  readonly sorted: boolean;
  /** The plan to switch to when this one examines many documents and few of them match. */
  readonly fallback?: Plan;
}
