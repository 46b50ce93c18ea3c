// What the HTTP layer asks of documents. Types only; `service.ts` does it.
import type { Client } from '../../auth/clients/client.ts';
import type { Depth } from '../../lib/depth.ts';
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { StoredDocument, Write } from '../../stores/ports.ts';
import type { Collection } from './collection.ts';

export type CollectionMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The rights of whoever asks. The domain knows nothing more of clients and tokens. */
export interface Caller {
  /** The client id that goes into `createdBy` and `lastModifiedBy`; null when anonymous. */
  readonly name: string | null;
  may(collection: Collection, method: CollectionMethod): boolean;
}

/** The request behind a read or write, for hooks. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Null: anonymous. */
  readonly client: Client | null;
  /** Absent when posted code asks. */
  readonly http?: {
    readonly method: string;
    /** Path and query as they came. */
    readonly url: string;
    readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
    readonly ip: string;
  };
}

export interface RequestContext {
  readonly caller: Caller;
  /** Epoch milliseconds by which all database work of the request must have ended. */
  readonly deadline: number;
  /** Documents that one write by query may match, where that is fewer than `limits.writeMatches`. */
  readonly maxMatches?: number;
  /** How many calls of posted code stand above this one: hooks that write could go on for ever. Absent: none. */
  readonly depth?: number;
  /** Absent: the server itself asks. */
  readonly origin?: RequestOrigin;
}

/** The query parameters of a read, parsed but not yet held against a collection. Absent means: not sent. */
export interface ReadRequest {
  readonly filter?: JsonObject;
  /** Zero or more; above the cap it is cut. */
  readonly count?: number;
  readonly page?: number;
  readonly skip?: number;
  readonly sort?: string | JsonObject;
  readonly sortOrder?: 1 | -1;
  readonly fields?: JsonObject;
  /** True is one level, and the next where a specification says so. */
  readonly compose?: Depth;
  readonly includeHistory?: boolean;
  readonly historyFilters?: JsonObject;
}

export interface Metadata {
  readonly limit?: number;
  readonly page: number;
  readonly fields?: Readonly<Record<string, 0 | 1>>;
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly historyFilters?: JsonObject;
  readonly offset: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly nextPage?: number;
  readonly prevPage?: number;
}

export interface Page {
  /** Each document as JSON text, ready for the socket. */
  readonly results: readonly string[];
  readonly metadata: Metadata;
}

export interface SinglePage extends Page {
  /** The `v` of the document (0 when it has none), undefined when there is no such document. */
  readonly v: number | undefined;
}

export interface CountResult {
  readonly metadata: { readonly limit: number; readonly totalCount: number; readonly totalPages: number };
}

export interface RemoveResult {
  readonly deleted: number;
  /** Documents left in the collection. Undefined when nobody asked, or the count takes too long. */
  readonly totalCount: number | undefined;
}

export interface WriteOptions {
  /** `compose` of the request, where sent. */
  readonly compose?: Depth | undefined;
  /** Is `v` a state in which the write may go on? Absent: no precondition. */
  readonly ifMatch?: ((v: number) => boolean) | undefined;
}

export interface RemoveOptions extends Pick<WriteOptions, 'ifMatch'> {
  /** Count what is left of the collection. */
  readonly counts?: boolean | undefined;
}

export interface DocumentService {
  list(collection: Collection, request: ReadRequest, context: RequestContext): Promise<Page>;
  get(collection: Collection, id: string, request: ReadRequest, context: RequestContext): Promise<SinglePage>;
  count(collection: Collection, request: ReadRequest, context: RequestContext): Promise<CountResult>;
  history(collection: Collection, id: string, request: ReadRequest, context: RequestContext): Promise<Page>;
  /** `body` is one document or a list of them. */
  create(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<{ readonly results: readonly string[] }>;
  updateById(
    collection: Collection,
    id: string,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<Page>;
  /** `body` must be `{query, update}`. */
  updateByQuery(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: WriteOptions,
  ): Promise<Page>;
  removeById(
    collection: Collection,
    id: string,
    context: RequestContext,
    options: RemoveOptions,
  ): Promise<RemoveResult>;
  /** `body` must be `{query}`. */
  removeByQuery(
    collection: Collection,
    body: Json,
    context: RequestContext,
    options: Pick<RemoveOptions, 'counts'>,
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
  readonly own: JsonObject;
  /** What the client sent for fields of the specification; held against it like any document. */
  readonly fields: JsonObject;
}

/** Records of media collections. Nobody creates one but with a file. */
export interface RecordService {
  /**
   * Creates the records of one upload: all or none, together with `also`, in one commit. Hooks run as for any create, but
   * change nothing in `own`. Resolves with the records as JSON text. Rejects with a BesideError (`beside-error.ts`) where one
   * of `also` is refused: `reason` is `duplicate` or `conflict`, `position` says which. Nothing is written then.
   */
  createRecords(
    collection: Collection,
    records: readonly NewRecord[],
    context: RequestContext,
    options?: { readonly also?: readonly Write[] },
  ): Promise<{ readonly results: readonly string[] }>;
  /**
   * The stored record of a file, by its id or by the `path` that the record carries. Undefined, too, for one that the default
   * filters of the collection hide, or its hooks for reads.
   */
  findRecord(
    collection: Collection,
    by: { readonly id: string } | { readonly path: string },
    context: RequestContext,
  ): Promise<StoredDocument | undefined>;
}
