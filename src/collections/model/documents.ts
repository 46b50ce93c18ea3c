// The document service: its requests, options, results and limits. `document-service.ts` implements it.

import type { Client } from '../../auth/clients/client.ts';
import { StoreError } from '../../errors/errors.ts';
import type { MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument, TextPage, Write } from '../../stores/ports.ts';
import type { CollectionAccess } from './access.ts';
import type { Collection } from './collection.ts';
import type { DocumentRights, RemovedDocument } from './document-facts.ts';
import type { HookWrites } from './hook-writes.ts';
import type { ComposeDepth, ReadRequest } from './read-parameters.ts';

/** Who asks, and what they may do. The domain knows nothing else of clients and tokens. */
export interface Caller {
  /** The client id that goes into `createdBy` and `lastModifiedBy`; null when anonymous. */
  readonly clientId: string | null;
  /** The same object for the same collection, for as long as the specifications stay what they are. */
  access(collection: Collection): CollectionAccess;
}

/** An HTTP request as hooks are told of it. */
export interface HookRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly ip: string;
  /** Who sent it, whoever acts; null: anonymous. */
  readonly client: Client | null;
  /** Of the route. */
  readonly params?: Readonly<Record<string, string>>;
  /** JSON text of the body, for the hooks of the collection that was written. Absent: there is none, or it is too long. */
  readonly body?: string;
}

const MAX_HOOK_BODY_CHARACTERS = 65_536;
const MAX_HOOK_LIST_CHARACTERS = 16_384;

/** Characters that a body may have for hooks to be told of it: fewer for a list, each of whose documents has a run of the hook. */
export const maxHookBodyCharacters = (isList: boolean): number =>
  isList ? MAX_HOOK_LIST_CHARACTERS : MAX_HOOK_BODY_CHARACTERS;

/** The request that a read or write belongs to, for hooks and logs. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Null: anonymous. */
  readonly client: Client | null;
  /** Id of the module whose code calls. Absent for a client. */
  readonly module?: string;
  /** Absent when posted code calls and does not pass on the request that it serves. */
  readonly http?: HookRequest;
}

export interface RequestContext {
  readonly caller: Caller;
  /** Epoch milliseconds by which all database work of the request must have ended. */
  readonly deadline: number;
  /** Documents that one write by query may match, where that is fewer than `limits.writeMatches`. */
  readonly maxMatches?: number;
  /** Path of the collection whose hooks of reads do not run: a hook of its own reads it. */
  readonly withoutReadHooksOf?: string;
  /** Nested calls of posted code above this one; bounded, because hooks may write. Absent: none. */
  readonly callDepth?: number;
  /** Absent: the server itself calls. */
  readonly origin?: RequestOrigin;
  /** What hooks of this request have written. Absent without hooks. */
  readonly hookWrites?: HookWrites;
  /** The writes of the hooks by one of which this request is made; they are told what it writes. */
  readonly reportsTo?: HookWrites;
}

/**
 * A request whose deadline is computed at each read. The deadline is a member of the object itself, so that a copy has the one of
 * that moment; its getter is shared, as one for each request would give each a hidden class that outlives many collections.
 */
class LiveRequest {
  static readonly #deadline: PropertyDescriptor = {
    get(this: LiveRequest) {
      return this.#deadlineNow();
    },
    enumerable: true,
  };
  readonly #deadlineNow: () => number;

  constructor(members: Omit<RequestContext, 'deadline'>, deadlineNow: () => number) {
    this.#deadlineNow = deadlineNow;
    Object.defineProperty(this, 'deadline', LiveRequest.#deadline);
    Object.assign(this, members);
  }
}

/** The same request, with a deadline that is computed at each read. */
export function withLiveDeadline(
  { deadline: _, ...members }: Omit<RequestContext, 'deadline'> & Partial<RequestContext>,
  deadlineNow: () => number,
): RequestContext {
  return new LiveRequest(members, deadlineNow) as LiveRequest & RequestContext;
}

export interface Metadata {
  readonly limit?: number;
  readonly page: number;
  readonly fields?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>> | undefined;
  readonly historyFilters?: JsonObject | undefined;
  readonly offset: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly nextPage?: number | undefined;
  readonly prevPage?: number | undefined;
  /** What has no effect in the request, each as a sentence. */
  readonly warnings?: readonly string[] | undefined;
}

/** A page of documents that were written. */
export interface Page {
  /** Each document as JSON text, ready for the socket. */
  readonly results: readonly string[];
  readonly metadata: Metadata;
}

/** A page of documents that were read: one text, ready for the socket. */
export interface ReadPage extends TextPage {
  readonly metadata: Metadata;
}

/** A page of removed documents. */
export type RemovedPage = Pick<ReadPage, 'metadata'> & { readonly entries: readonly RemovedDocument[] };

export interface SinglePage extends ReadPage {
  /** The `v` of the document (0 when it has none), undefined when there is no such document. */
  readonly v: number | undefined;
}

export interface CountResult {
  readonly metadata: { readonly limit: number; readonly totalCount: number; readonly totalPages: number };
}

export interface WriteResult {
  /** Each document as JSON text. */
  readonly results: readonly string[];
}

export interface RemoveResult {
  readonly deleted: number;
  /** Remaining documents of the collection. Undefined unless requested, and when the count takes too long. */
  readonly totalCount: number | undefined;
}

export interface WriteOptions {
  /** `compose` of the request, where sent. */
  readonly compose?: ComposeDepth | undefined;
  /** Whether the write may replace the state `v`; undefined where there is no document. Absent: no precondition. */
  readonly ifMatch?: ((v: number | undefined) => boolean) | undefined;
}

export interface RestoreTarget {
  readonly id: string;
  readonly revisionId: string;
}

export interface RemoveOptions extends Pick<WriteOptions, 'ifMatch'> {
  /** Count the remaining documents. */
  readonly countRemaining?: boolean | undefined;
}

/**
 * Reads that need not wait answer at once. A request is prepared once for each object: send the same one for the same parameters.
 * The parser of a write's body must have checked it with `findJsonIssue`: nobody does so again.
 */
export interface DocumentService {
  list(collection: Collection, request: ReadRequest, context: RequestContext): MaybePromise<ReadPage>;
  get(
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): MaybePromise<SinglePage>;
  count(collection: Collection, request: ReadRequest, context: RequestContext): MaybePromise<CountResult>;
  history(
    collection: Collection,
    id: string,
    request: ReadRequest,
    context: RequestContext,
  ): Promise<ReadPage>;
  /** The documents that were removed and can be restored, those removed last first. `compose` and `sort` have no effect. */
  removed(collection: Collection, request: ReadRequest, context: RequestContext): Promise<RemovedPage>;
  /** What the caller may do with a document. No hook runs. */
  rights(collection: Collection, id: string, context: RequestContext): Promise<DocumentRights>;
  /** `body` is one document or a list of them. */
  create(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): MaybePromise<WriteResult>;
  updateById(
    collection: Collection,
    id: string,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<Page>;
  /** `body` must be `{query, update}`, with `all: true` where the query has no condition. */
  updateByQuery(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<Page>;
  /** Gives a document the state of one of its revisions; a removed one comes back under its id. */
  restore(
    collection: Collection,
    target: RestoreTarget,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<Page>;
  removeById(
    collection: Collection,
    id: string,
    context: RequestContext,
    options: RemoveOptions,
  ): Promise<RemoveResult>;
  /** `body` must be `{query}`, with `all: true` where the query has no condition. */
  removeByQuery(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: Pick<RemoveOptions, 'countRemaining'>,
  ): Promise<RemoveResult>;
}

/** Bounds of one request; every one has a default in the configuration. */
export interface DocumentLimits {
  readonly pageSize: number;
  readonly batch: number;
  readonly writeMatches: number;
  readonly filterDepth: number;
  readonly filterNodes: number;
  readonly composeDepth: number;
  readonly composeReferences: number;
}

/** The record of an uploaded file, before it is stored. */
export interface NewRecord {
  /** Values of the fields that only the server sets: file name, path, size … */
  readonly serverFields: JsonObject;
  /** What the client sent for fields of the specification; held against it like any document. */
  readonly fields: JsonObject;
}

/** Options of `createRecords`. */
export interface CreateRecordsOptions {
  /** Further writes of the same commit. */
  readonly extraWrites?: readonly Write[];
}

/** Records of media collections: each is created together with its file. */
export interface RecordService {
  /**
   * Creates the records of one upload, all or none, and the writes of `extraWrites` in the same commit. Hooks run as for any
   * create, but cannot change `serverFields`. Rejects with an ExtraWriteError where the store rejects one of those: `reason` is
   * `duplicate` or `conflict`, `position` its index. Nothing is written then.
   */
  createRecords(
    collection: Collection,
    records: readonly NewRecord[],
    context: RequestContext,
    options?: CreateRecordsOptions,
  ): Promise<WriteResult>;
  /**
   * Finds the stored record of a file by its id or its `path`. Undefined, too, for a record that the default filters or the
   * read hooks of the collection hide.
   */
  findRecord(
    collection: Collection,
    by: { readonly id: string } | { readonly path: string },
    context: RequestContext,
  ): Promise<StoredDocument | undefined>;
}

/**
 * A commit was rejected because of one of its extra writes. `reason` is that of the store: `duplicate` or `conflict` where
 * another write came first. Nothing was written.
 */
export class ExtraWriteError extends StoreError {
  /** Index among the extra writes. */
  readonly position: number;

  constructor(cause: StoreError, position: number) {
    super(cause.reason, { cause, fields: cause.fields });
    this.name = 'ExtraWriteError';
    this.position = position;
  }
}
