// What posted code gets: types for authors of endpoints and hooks. For an editor only; nothing here runs.
// A plain JavaScript file names them in its comments: `@type` with an `import` of this file and `.Handler`, `.Hook`, ….
import type { Method, OperationDescription } from './endpoint-description.d.ts';
import type { Bcrypt, BcryptAsPromised } from './endpoint-passwords.d.ts';

/** The caller, when a token or key was sent. */
export interface Client {
  readonly id: string;
  readonly clientId: string;
  readonly accessType: string;
}

/** A request. Plain data, made for this call: changing it changes nothing elsewhere. */
export interface Request {
  method: string;
  /** Path and query as they came. */
  url: string;
  path: string;
  /** Parameters of the route, decoded. */
  params: Record<string, string>;
  /** A key that is repeated has a list. */
  query: Record<string, string | string[]>;
  /** The granted ones, names in lower case. */
  headers: Record<string, string>;
  /** What was sent as JSON or as a form, the text of a text, `{}` when nothing was sent. */
  // biome-ignore lint/suspicious/noExplicitAny: it is what the caller sent.
  body: any;
  client: Client | null;
  ip: string;
}

export type HeaderValue = string | number | readonly string[];
export type Body = string | Uint8Array | ArrayBuffer | DataView;

/** The answer. It is sent as a whole when it ends, and the first end counts. */
export interface Response {
  /** 200 to 599; anything else is a RangeError. */
  statusCode: number;
  /** Without effect. */
  statusMessage: string;
  readonly headersSent: boolean;
  readonly finished: boolean;
  readonly writableEnded: boolean;
  status(code: number): this;
  /** A TypeError for a name or value that no header may have; at most 50 headers and 16 KB. */
  setHeader(name: string, value: HeaderValue): this;
  set(name: string, value: HeaderValue): this;
  set(headers: Record<string, HeaderValue>): this;
  header(name: string, value: HeaderValue): this;
  header(headers: Record<string, HeaderValue>): this;
  getHeader(name: string): string | string[] | undefined;
  get(name: string): string | string[] | undefined;
  getHeaders(): Record<string, string | string[]>;
  hasHeader(name: string): boolean;
  removeHeader(name: string): void;
  writeHead(status: number, headers?: Record<string, HeaderValue>): this;
  writeHead(status: number, message: string, headers?: Record<string, HeaderValue>): this;
  /** A media type, or a short name such as `json`, `html`, `csv`. */
  type(type: string): this;
  /** A RangeError when the body becomes larger than it may be. */
  write(chunk: Body): boolean;
  end(chunk?: Body): this;
  json(value: unknown): this;
  /** Text as HTML, bytes as they are, anything else as JSON, unless a type is set. */
  send(value?: unknown): this;
  redirect(url: string): this;
  redirect(status: number, url: string): this;
}

/** Passes: 404 without an argument, else the error's `statusCode`, if it is a whole number of 400 to 599, or 500. Below 500 its `errors` are shown. */
export type Next = (error?: unknown) => void;

/** What is wrong with a field, or with the request. It has a field, a code, or both. */
export interface ErrorEntry {
  field?: string;
  message: string;
  /** Letters, digits, spaces and `_.:-`. */
  code?: string;
  title?: string;
  details?: string;
  hookName?: string;
  /** Of an endpoint: position in a batch. Hooks cannot set it. */
  index?: number;
}

/** What a hook throws, or returns as an Error, to refuse. A list of entries alone may be thrown too. */
export interface HookError {
  /** Shown to the client: one line, 300 characters. */
  message: string;
  /** A whole number of 400 to 499; without one, 400. Of before-hooks only. */
  statusCode?: number;
  /** Shown in place of the message: a hundred entries, and how many there are besides. */
  errors?: ErrorEntry[];
  code?: string;
}

export type Handler = (req: Request, res: Response, next: Next) => unknown;

/** What the module of an endpoint exports. */
export interface Endpoint {
  get?: Handler;
  head?: Handler;
  post?: Handler;
  put?: Handler;
  patch?: Handler;
  delete?: Handler;
  options?: Handler;
  /** Read once, when the code is posted. */
  model?: {
    settings?: {
      /** Whether a token is needed; a list names the methods that need one. True when absent. */
      authenticate?: boolean | string[];
      displayName?: string;
    };
  };
  /** Read once, when the code is posted. A `route` takes the place of `/{version}/{name}`. */
  config?(): { route?: string };
  /** What the API description says of each method. Read once, when the code is posted: 64 KB of JSON at most. */
  openapi?: Partial<Record<Method | Lowercase<Method>, OperationDescription>>;
}

/** What a hook is told beside the document. */
export interface HookData {
  collection: string;
  options: unknown;
  schema: unknown;
  req?: unknown;
  /** Of updates: before them the documents as they are, behind them a list of the one that was written. */
  updatedDocs?: Document[];
  /** Of removals: a list of the document. */
  deletedDocs?: Document[];
  /** Of updates and removals: the documents as they were stored before. Where `updatedDocs` or `deletedDocs` are these, the same list. */
  previousDocs?: Document[];
  [name: string]: unknown;
}

/** What the module of a hook exports: answers what is to be used instead, or a promise of it. Null and errors refuse. */
export type Hook = (
  // biome-ignore lint/suspicious/noExplicitAny: a document of any collection.
  obj: any,
  type: string,
  data: HookData,
) => unknown;

/** A failed call of the server. */
export interface CallError extends Error {
  code: string;
  /** What is wrong with each field of a document. `next(error)` answers with them. */
  errors?: ErrorEntry[];
  /** Where a client's own request would have got it: `next(error)` answers with it. */
  statusCode?: number;
}

export type Callback<T> = (error: CallError | null, result?: T) => void;
export type Document = Record<string, unknown>;
export type Query = Record<string, unknown>;

export interface FindOptions {
  limit?: number;
  skip?: number;
  page?: number;
  sort?: string | Record<string, 1 | -1>;
  /** Of a name in `sort`. */
  sortOrder?: 1 | -1 | 'asc' | 'desc';
  fields?: Record<string, 0 | 1>;
  /** One level and what the specifications say, so many levels, or all of them. */
  compose?: boolean | number | 'all';
  /** Revisions in place of their ids, and which of them. */
  includeHistory?: boolean;
  historyFilters?: Query;
}

export interface WriteOptions {
  /** The query may be without a condition: every document is meant. */
  all?: boolean;
  /** Referenced documents in the answer, as in `FindOptions`. */
  compose?: boolean | number | 'all';
  /** What older code passes (creator, dates) is set by the server. */
  [internal: string]: unknown;
}

export interface FindResult {
  results: Document[];
  metadata: Record<string, unknown>;
}

/** A granted collection. Methods answer a promise, or call back. `req` is the request that is served: hooks have it as `data.req`. */
export interface Model {
  find(query?: Query, options?: FindOptions): Promise<FindResult>;
  find(query: Query, options: FindOptions, callback: Callback<FindResult>): void;
  find(query: Query, callback: Callback<FindResult>): void;
  get(query?: Query, options?: FindOptions): Promise<FindResult>;
  get(query: Query, options: FindOptions, callback: Callback<FindResult>, req?: unknown): void;
  get(query: Query, callback: Callback<FindResult>, req?: unknown): void;
  count(query?: Query, options?: FindOptions): Promise<unknown>;
  count(query: Query, options: FindOptions, callback: Callback<unknown>): void;
  count(query: Query, callback: Callback<unknown>): void;
  create(documents: Document | Document[], options?: WriteOptions): Promise<{ results: Document[] }>;
  create(documents: Document | Document[], callback: Callback<{ results: Document[] }>): void;
  create(
    documents: Document | Document[],
    options: WriteOptions,
    callback: Callback<{ results: Document[] }>,
    req?: unknown,
  ): void;
  /** A query without a condition is refused unless the options say `all: true`. `$unset` in the update lists fields to remove. */
  update(query: Query, update: Document, options?: WriteOptions): Promise<FindResult>;
  update(query: Query, update: Document, callback: Callback<FindResult>): void;
  update(
    query: Query,
    update: Document,
    options: WriteOptions,
    callback: Callback<FindResult>,
    req?: unknown,
  ): void;
  delete(query: Query, options?: WriteOptions): Promise<unknown>;
  delete(query: Query, options: WriteOptions, callback: Callback<unknown>, req?: unknown): void;
  delete(query: Query, callback: Callback<unknown>, req?: unknown): void;
  stats(options?: object): Promise<unknown>;
  stats(options: object, callback: Callback<unknown>): void;
  stats(callback: Callback<unknown>): void;
  getStats: Model['stats'];
  /** Oldest first. */
  revisions(id: string, options?: Pick<FindOptions, 'historyFilters'>): Promise<Document[]>;
  revisions(id: string, options: Pick<FindOptions, 'historyFilters'>, callback: Callback<Document[]>): void;
  getRevisions(options: Pick<FindOptions, 'historyFilters'> & { id: string }): Promise<Document[]>;
  /** Answers the query: ids are texts. */
  castToBSON(query: Query): Query;
}

export interface FetchInit {
  method?: string;
  headers?: Record<string, string> | readonly (readonly [string, string])[];
  body?: Body | URLSearchParams | null;
}

export interface FetchHeaders extends Iterable<[string, string]> {
  get(name: string): string | null;
  has(name: string): boolean;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  forEach(callback: (value: string, name: string) => void): void;
}

export interface FetchResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly headers: FetchHeaders;
  text(): Promise<string>;
  // biome-ignore lint/suspicious/noExplicitAny: it is what the other server sent.
  json(): Promise<any>;
  bytes(): Promise<Uint8Array>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The values of `grants.config` of the policy. */
export interface Config {
  /** By name, or as a path: `email.from`. Throws for one that is not there. */
  // biome-ignore lint/suspicious/noExplicitAny: it is what the policy has.
  get(name: string): any;
}

type TextModule = 'path' | 'punycode' | 'querystring' | 'string_decoder' | 'url';
/** As in Node, but `path` is that of POSIX systems. */
export type RequirableModule = 'assert' | 'buffer' | 'events' | 'util' | TextModule;

type LogFunction = (...values: unknown[]) => void;

/** The names beside the language's own that a module finds. They are made anew for each request. */
export interface Names {
  module: { exports: Endpoint | Hook };
  exports: Endpoint;
  /** The package that older code names, only where collections are granted, and modules of Node that are plain JavaScript. */
  require(name: '@dadi/api'): { Model: Names['Model']; Config: Config };
  /** Only where the policy grants it. */
  require(name: 'bcrypt' | 'bcryptjs'): Bcrypt;
  require(name: 'bcrypt-as-promised'): BcryptAsPromised;
  // biome-ignore lint/suspicious/noExplicitAny: the types of Node tell what they have.
  require(name: RequirableModule | `node:${RequirableModule}`): any;
  console: Record<'log' | 'info' | 'warn' | 'error' | 'debug' | 'trace', LogFunction>;
  /** Absent where no collection is granted. `name`: `books`, `library/books` or `1.0/library/books`. */
  Model(name: string): Model;
  /** Absent where no address is granted. */
  fetch(url: string | URL, init?: FetchInit): Promise<FetchResponse>;
  setTimeout(callback: (...values: unknown[]) => void, ms?: number, ...values: unknown[]): number;
  setInterval(callback: (...values: unknown[]) => void, ms?: number, ...values: unknown[]): number;
  setImmediate(callback: (...values: unknown[]) => void, ...values: unknown[]): number;
  clearTimeout(timer?: number): void;
  clearInterval(timer?: number): void;
  clearImmediate(timer?: number): void;
  queueMicrotask(callback: () => void): void;
  crypto: {
    randomUUID(): string;
    getRandomValues<T extends ArrayBufferView>(array: T): T;
    subtle: {
      digest(algorithm: string | { name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer>;
    };
  };
}
