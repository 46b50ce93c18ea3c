// Ports to document stores and caches: the adapters are the folders and cache files next to this file.
import type { MaybePromise } from '../lib/async/maybe-promise.ts';
import type { ChunkedText, Separator } from '../lib/chunked-text.ts';
import type { JsonObject } from '../lib/json/json.ts';
import type { Filter } from './filter.ts';

/** Where documents are stored. `database` is null unless each database folder has its own database. */
export interface Namespace {
  readonly database: string | null;
  readonly collection: string;
}

/** Unique key of a namespace, for maps and locks. The name of a database contains no slash. */
export const namespaceKey = ({ database, collection }: Namespace): string =>
  `${database ?? ''}/${collection}`;

/** A namespace that contains documents. */
export interface ListedNamespace extends Namespace {
  /** Why its documents cannot be written, in words for the operator: `a view`, for example. */
  readonly readOnly?: string;
}

/** A stored document. `_id` is 24 lower-case hexadecimal characters in our own data. */
export interface StoredDocument extends JsonObject {
  readonly _id: string;
}

export type Direction = 1 | -1;

/**
 * Field paths by priority. `_id` breaks ties, in the direction of the last key; `[]` means `_id` ascending.
 * Keys after `_id` are not allowed.
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

/** A page of documents. */
export interface TextPage {
  /** The documents as JSON text, joined by the separator; empty without documents. A long text may be in pieces. */
  readonly text: ChunkedText;
  /** Number of documents. */
  readonly count: number;
}

export interface OperationOptions {
  /** Epoch milliseconds. After it the operation rejects with a `timeout` StoreError; a write then has no effect. */
  readonly deadline?: number;
}

export interface PageOptions extends OperationOptions {
  /** Between the documents. Default: a comma. */
  readonly separator?: Separator;
}

/**
 * One step of an atomic commit. Every stored document has its number of writes in `v` (missing counts as 0). `update` and
 * `remove` name the `v` that they were computed from: the commit rejects with `conflict` if the stored `v` differs or the
 * document does not exist.
 */
export type Write =
  | {
      readonly kind: 'insert';
      readonly ns: Namespace;
      readonly document: StoredDocument;
      readonly text?: string;
      /** A store without transactions keeps this document when it rolls back: others may already refer to it. */
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
      /** `JSON.stringify(document)`, if the caller already has it. */
      readonly text?: string;
    }
  | { readonly kind: 'remove'; readonly ns: Namespace; readonly id: string; readonly v: number };

export interface IndexKey {
  readonly path: string;
  readonly direction: Direction;
}

export interface IndexDefinition {
  readonly name: string;
  readonly keys: readonly IndexKey[];
  /** Text is compared exactly, a missing field counts as null unless `sparse`, an array counts by its elements. */
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

interface StoreStatus {
  /** Bytes that everything in it takes: documents, indexes, log. */
  readonly bytes: number;
  /** Commits that wait for their turn, and how many may; null where none waits in this process. */
  readonly commits: { readonly waiting: number; readonly maxWaiting: number } | null;
}

/**
 * Every method rejects with StoreErrors (`errors.ts`) only, and none throws; with `filter-too-large` if the filter is larger than
 * one query of the store may be.
 */
export interface DocumentStore {
  /** Rejects with `too-much` if the documents have more than 64 Mi characters in total. */
  find(ns: Namespace, query: FindQuery, options?: OperationOptions): Promise<readonly StoredDocument[]>;
  /**
   * The same documents in the same order, each as the output of `JSON.stringify`. Stores that hold text do not parse it.
   */
  findText(ns: Namespace, query: FindQuery, options?: OperationOptions): MaybePromise<readonly string[]>;
  /** The same documents as one text. */
  findPage(ns: Namespace, query: FindQuery, options?: PageOptions): MaybePromise<TextPage>;
  /**
   * The documents with these ids, which must be as they are stored and may repeat: the text of each by its id, in any order,
   * perhaps among others. Ids without a document are missing. Rejects with `too-much` as `find` does.
   */
  findByIds(
    ns: Namespace,
    ids: readonly string[],
    options?: OperationOptions,
  ): MaybePromise<ReadonlyMap<string, string>>;
  /** The exact number. */
  count(ns: Namespace, filter: Filter, options?: OperationOptions): MaybePromise<number>;
  /**
   * All or nothing, also across a crash, if the store has transactions. A store without transactions applies `writes` in
   * order and rolls back a failed commit. The order must be such that no prefix contains a reference to a missing document or a
   * document without its revision. Durable when it resolves. `StoreError.index` is the index of the failed write.
   */
  commit(writes: readonly Write[], options?: OperationOptions): Promise<void>;
  /**
   * Makes `indexes` the complete set of declared indexes: builds new ones and drops the others. Resolves when every unique
   * index is ready. Rejects with `duplicate` and changes nothing if data violate one, with `index-conflict` if an index of
   * someone else prevents it. `built` resolves when the other indexes, built in the background, are ready too, and rejects
   * with `index-conflict` if one of them cannot be built. Indexes of others are never changed.
   */
  ensureIndexes(
    ns: Namespace,
    indexes: readonly IndexDefinition[],
  ): Promise<{ readonly built: Promise<void> }>;
  stats(ns: Namespace, options?: OperationOptions): Promise<CollectionStats>;
  /** Every namespace that contains documents. */
  collections(): Promise<readonly ListedNamespace[]>;
  /** Calls `listener` after each commit with the changed namespaces, before the commit resolves. Returns a function that unsubscribes. */
  onCommit(listener: (changed: readonly Namespace[]) => void): () => void;
  /**
   * Ends what a process that is gone has left under way and others would wait for; nothing of it was acknowledged. `owner`: the
   * id that the process gave its store. Absent where nothing is left.
   */
  readonly endWorkOf?: (owner: string, options?: OperationOptions) => Promise<void>;
  /** Resolves if the store responds, rejects with `unavailable` if not. */
  health(): Promise<void>;
  /** What an operator wants to know of it. Rejects with `unavailable` if it does not respond. */
  status(): Promise<StoreStatus>;
  /** Waits for running operations, then releases all resources. */
  close(): Promise<void>;
}

/** Marks of names, which all processes with this cache see. */
export interface CacheMarks {
  /** The marks of these names in their order, made where there is none; undefined where the cache does not answer. */
  read(names: readonly string[]): Promise<readonly string[] | undefined>;
  /** Gives each name a mark that it never had. Resolves with false where the cache does not answer. */
  replace(names: readonly string[]): Promise<boolean>;
}

/** A limit in a window of time, and what the process that asks knows of that window. */
export interface CountedLimit {
  readonly key: string;
  readonly limit: number;
  /** The window of which this process heard last; empty where it heard of none. */
  readonly window: string;
  /** What this process has taken in its window, and the part of it of which the cache has not heard. */
  readonly own: number;
  readonly unheard: number;
}

/** A window as all processes count in it. */
export interface CountedWindow {
  readonly window: string;
  /** Taken by all, and the part of it that is held: it may still be given back. */
  readonly used: number;
  readonly held: number;
  readonly endsInMs: number;
}

/**
 * Counts that all processes with this cache share. A window begins when something is first taken. One that the cache has lost
 * begins anew, with what each process says of itself.
 */
export interface SharedCounts {
  /**
   * Takes up to `wanted` of every limit, the same number of each; `isHeld`: until `settle`. The windows come in the order of the
   * limits. Undefined where the cache does not answer in time: then it may have been counted all the same.
   */
  take(
    limits: readonly CountedLimit[],
    options: { readonly wanted: number; readonly windowMs: number; readonly isHeld: boolean },
  ): Promise<{ readonly granted: number; readonly windows: readonly CountedWindow[] } | undefined>;
  /** Ends the hold on one of each, which is given back or counts for good. Never rejects. */
  settle(
    windows: readonly { readonly key: string; readonly window: string }[],
    isGivenBack: boolean,
  ): Promise<void>;
}

/** Store of the response cache. It may lose entries at any time. */
export interface CacheStore {
  /** The text may be split differently than it was when set. */
  get(key: string): Promise<ChunkedText | undefined>;
  /** `ttl` is in milliseconds. */
  set(key: string, value: ChunkedText, ttl: number): Promise<void>;
  /** Removes all entries. */
  clear(): Promise<void>;
  /** Where several processes share the cache. */
  readonly marks?: CacheMarks;
  readonly counts?: SharedCounts;
  /** False while it keeps nothing, because it is a server that does not respond. */
  isReachable(): boolean;
  close(): Promise<void>;
}
