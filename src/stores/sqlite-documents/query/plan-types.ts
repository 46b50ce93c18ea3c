// What a plan is made of. Types only; `plan.ts` makes plans, `read.ts` runs them.
import type { IndexEntry } from '../data-file/catalogue.ts';

/** Keys from `low` on and below `high`, byte by byte. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

export interface IndexAccess {
  readonly kind: 'index';
  readonly index: IndexEntry;
  readonly caseInsensitive: boolean;
  /** Apart from each other and ascending. */
  readonly ranges: readonly KeyRange[];
  readonly reversed: boolean;
  /** One document may be met more than once; the first time counts. */
  readonly mayRepeat: boolean;
}

export type Access =
  /** Single documents, in this order. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Documents in the order of their ids, from `low` on and below `high`. */
  | {
      readonly kind: 'walk';
      readonly reversed: boolean;
      readonly low: string;
      /** Every text is below every blob. */
      readonly high: string | Buffer;
    }
  /** All documents in no order that a caller could mean. */
  | { readonly kind: 'scan' }
  | IndexAccess
  /** Whatever one of these finds, in no order. */
  | { readonly kind: 'union'; readonly branches: readonly IndexAccess[] };

export interface Plan {
  readonly access: Access;
  /** Everything that the access finds matches the filter. */
  readonly exact: boolean;
  /** The access finds documents in the order that was asked for. */
  readonly sorted: boolean;
  /** What to do when the plan looks at many documents and few of them match. */
  readonly fallback?: Plan;
}
