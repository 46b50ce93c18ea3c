// What the domain needs from the outside world. Interfaces only: adapters stand beside this file, `app.ts` picks them.

import type { ChunkedText } from '../lib/chunked-text.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Filter } from './filter.ts';

/** Where documents live. `database` is null unless each database folder has a name space of its own. */
export interface Namespace {
  readonly database: string | null;
  readonly collection: string;
}

/** A name space that holds documents. */
export interface ListedNamespace extends Namespace {
  /** What it is instead, in words for the operator, where its documents cannot be written back: a view, for instance. */
  readonly readOnly?: string;
}

/** A stored document. `_id` is 24 lower-case hexadecimal characters in our own data. */
export interface StoredDocument extends JsonObject {
  readonly _id: string;
}

export type Direction = 1 | -1;

/**
 * Field paths in order of weight. Ties are broken by `_id` in the direction of the last key; `[]` means `_id` ascending.
 * Where `_id` is given it is the last.
 */
export type Sort = readonly (readonly [path: string, direction: Direction])[];

/**
 * Which fields come back. With `include`, only those (and `_id`); then those of `exclude` are dropped.
 * `_id` is dropped only when `exclude` names it. Paths may be dotted.
 */
export interface Projection {
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface FindQuery {
  readonly filter: Filter;
  readonly sort: Sort;
  readonly skip: number;
  readonly limit: number;
  readonly projection?: Projection;
}

export interface OperationOptions {
  /** Epoch milliseconds. Past it the operation ends with a `timeout` StoreError and, for a write, no effect. */
  readonly deadline?: number;
}

/**
 * One step of an atomic commit. Every stored document carries its number of writes in `v` (absent counts as 0);
 * `update` and `remove` name the `v` they were computed from, and the commit fails as `conflict` when the stored one differs
 * or the document is gone.
 */
export type Write =
  | {
      readonly kind: 'insert';
      readonly ns: Namespace;
      readonly document: StoredDocument;
      readonly text?: string;
      /** Where a commit is undone for want of transactions, this document stays: others may have built on it. */
      readonly keepOnRollback?: true;
    }
  | {
      readonly kind: 'update';
      readonly ns: Namespace;
      readonly id: string;
      readonly v: number;
      /** The whole new state, `_id` included. */
      readonly document: StoredDocument;
      /** Top-level fields in which `document` differs from the stored state. */
      readonly changed: readonly string[];
      /** `JSON.stringify(document)`, where the caller has it already. */
      readonly text?: string;
    }
  | { readonly kind: 'remove'; readonly ns: Namespace; readonly id: string; readonly v: number };

export interface IndexKey {
  readonly path: string;
  readonly direction: Direction;
  /** The specification lets plain equality on this field ignore case, so the index must serve that too. */
  readonly fold: boolean;
}

export interface IndexDefinition {
  readonly name: string;
  readonly keys: readonly IndexKey[];
  /** Text counts exactly, a missing field as one null unless `sparse`, an array by its elements. */
  readonly unique: boolean;
  readonly sparse: boolean;
}

/** Sizes are in bytes. */
export interface CollectionStats {
  readonly count: number;
  readonly size: number;
  readonly averageObjectSize: number;
  readonly storageSize: number;
  readonly indexes: number;
  readonly totalIndexSize: number;
  readonly indexSizes: Readonly<Record<string, number>>;
}

/**
 * Every method rejects with a StoreError (`errors.ts`) and nothing else that a caller should expect; with
 * `filter-too-large` where the filter is more than the store can be asked at once.
 */
export interface DocumentStore {
  /** Rejects with `too-much` when the documents have more than 64 Mi characters together. */
  find(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<readonly StoredDocument[]>;
  /**
   * The same documents in the same order, each as `JSON.stringify` would write it: not parsed where the store holds text.
   */
  findText(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<readonly string[]>;
  /** Exact. */
  count(ns: Namespace, filter: Filter, options?: OperationOptions): Promise<number>;
  /**
   * All or nothing, also across a crash, where the store has transactions. One without undoes a commit that fails, and
   * applies `writes` one after the other: they stand in an order in which any first part of them leaves no reference
   * to a document that is not there yet, and no document without its revision. Durable when it resolves.
   * `StoreError.index` tells which write failed.
   */
  commit(writes: readonly Write[], options?: OperationOptions): Promise<void>;
  /**
   * Makes `indexes` the whole set of declared indexes: builds what is new, drops what is no longer named.
   * Resolves when every unique index is in force; rejects with `duplicate`, and changes nothing, where data break one, and
   * with `index-conflict` where an index that somebody else made stands in its way. `built` resolves when the others,
   * filled in the background, serve queries too, and rejects with `index-conflict` when one of them cannot be made.
   * Indexes that somebody else made are never changed.
   */
  ensureIndexes(
    ns: Namespace,
    indexes: readonly IndexDefinition[],
  ): Promise<{ readonly built: Promise<void> }>;
  stats(ns: Namespace, options?: OperationOptions): Promise<CollectionStats>;
  /** Every name space that holds documents. */
  collections(): Promise<readonly ListedNamespace[]>;
  /** Calls back after each commit with the name spaces it wrote, before the commit resolves. Returns the unsubscriber. */
  watch(listener: (changed: readonly Namespace[]) => void): () => void;
  /** Resolves when the store answers, rejects with `unavailable` when it does not. */
  health(): Promise<void>;
  /** Ends what is in flight, then releases everything. */
  close(): Promise<void>;
}

/** Entries of the response cache. Losing one is never an error. */
export interface CacheStore {
  /** The text may come in other pieces than it was set in. */
  get(key: string): Promise<ChunkedText | undefined>;
  /** `ttl` is in milliseconds. */
  set(key: string, value: ChunkedText, ttl: number): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
  close(): Promise<void>;
}
