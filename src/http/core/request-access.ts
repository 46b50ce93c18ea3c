// What a request may reach: verifies the token before a body is read; guards for clients, for admins, and until startup has
// completed; resolves the collection from the path and authorizes the caller; the error for a path that nothing serves.

import type { FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import type { Client } from '../../auth/clients/client.ts';
import { type CollectionAccess, notPermitted } from '../../collections/model/access.ts';
import type {
  Collection,
  CollectionAddress,
  CollectionRegistry,
} from '../../collections/model/collection.ts';
import type { Caller } from '../../collections/model/documents.ts';
import { AppError, StoreError } from '../../errors/errors.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../lib/access-actions.ts';
import { type HttpMethod, isHttpMethod, isSafeMethod } from '../../lib/http/methods.ts';
import { isId } from '../../lib/ids.ts';
import { apiVersionIssue } from '../../modules/model/module-types.ts';
import type { HttpDeps } from './http-deps.ts';
import { missingCollectionError } from './missing-collection.ts';
import { requestPath } from './request-url.ts';
import { methodNotAllowed, type RequestGuard } from './resource.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client of the token; null when anonymous. */
    client: Client | null;
    /** What that client may do. */
    caller: Caller;
    /** Milliseconds that verifying the token has taken of `limits.queryMs`. */
    tokenMs: number;
    /** The collection that the path names, once the guard has resolved it. */
    collection: Collection | null;
  }
}

type Deps = Pick<HttpDeps, 'tokens' | 'createCaller' | 'isReady' | 'now'>;
type Done = (error?: Error) => void;

const SCHEME = 'bearer ';

/**
 * Parses an `Authorization` header: exactly two parts with one space between, the scheme in any case.
 * Undefined if the header is absent or has another form: the request is anonymous then.
 */
export function parseBearerToken(header: string | undefined): string | undefined {
  if (header === undefined || header.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  const token = header.slice(SCHEME.length);
  return token.includes(' ') ? undefined : token;
}

/**
 * Makes the guard that sets `request.client`. A bad token ends the request; without one it is anonymous. Then rejects paths that
 * nothing serves.
 */
export function createAuthenticate({ tokens, createCaller, isReady, now }: Deps): RequestGuard {
  const enter = (request: FastifyRequest, client: Client | null, done: Done) => {
    request.client = client;
    request.caller = createCaller(client);
    if (!request.is404) done();
    else done(unknownPathError(request, isReady));
  };
  return (request, _reply, done) => {
    const token = parseBearerToken(request.headers.authorization);
    if (token === undefined) return enter(request, null, done);
    const known = tokens.peek(token);
    if (known !== undefined) return enter(request, known, done);
    const began = now();
    tokens.verify(token).then((client) => {
      // An issuer that answers slowly takes nothing from the time for the database.
      request.tokenMs = client.issuer === undefined ? Math.max(0, now() - began) : 0;
      enter(request, client, done);
    }, done);
  };
}

/** Guard: rejects the anonymous. */
export const requireClient: RequestGuard = (request, _reply, done) => {
  done(request.client === null ? missingTokenError() : undefined);
};

/**
 * Guard: rejects the anonymous, and users of other issuers, who may do what anyone may where no rule says more: of a public
 * identity provider that is everybody.
 */
export const requireOwnClient: RequestGuard = (request, _reply, done) => {
  if (request.client === null) done(missingTokenError());
  else done(request.client.issuer === undefined ? undefined : notPermittedError(requestPath(request)));
};

/** Guard: rejects everybody but admins. */
export const requireAdmin: RequestGuard = (request, _reply, done) => {
  if (request.client === null) done(missingTokenError());
  else done(request.client.accessType === 'admin' ? undefined : notPermittedError(requestPath(request)));
};

/** Throws an `unavailable` StoreError until startup has completed. */
export function assertReady(isReady: HttpDeps['isReady']): void {
  if (!isReady()) throw new StoreError('unavailable');
}

const ENDPOINT_PATH = /^\/(?<version>[^/]+)\/[^/]/;

/** True when a path may be that of an endpoint: endpoints are known once startup has read them from the database. */
function mayBeEndpointPath(path: string): boolean {
  const version = ENDPOINT_PATH.exec(path)?.groups?.['version'];
  return version !== undefined && apiVersionIssue(version) === undefined;
}

/**
 * The error for a path that nothing serves: 401 for the anonymous, so that nobody can probe which paths exist, 404 for others.
 * `isReady`: until startup has completed, a path that may be an endpoint's is 503.
 */
export function unknownPathError(
  request: Pick<FastifyRequest, 'client' | 'originalUrl'>,
  isReady: () => boolean = () => true,
): AppError | StoreError {
  if (!isReady() && mayBeEndpointPath(requestPath(request))) return new StoreError('unavailable');
  return request.client === null ? missingTokenError() : new AppError('NOT_FOUND');
}

/** What a method does to a document or a collection. */
const ACTIONS: Readonly<Record<HttpMethod, AccessAction>> = {
  GET: 'read',
  HEAD: 'read',
  OPTIONS: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

type Params = Readonly<Record<'version' | 'database' | 'collection' | 'id', string | undefined>>;

/** The collection that the path names, whether or not it exists. */
export function collectionAddressOf(request: FastifyRequest): CollectionAddress {
  const { version = '', database = '', collection = '' } = request.params as Params;
  return { version, database, name: collection };
}

/** The document that the path names. */
export function documentIdOf(request: FastifyRequest): string {
  return ((request.params as Params).id ?? '').toLowerCase();
}

/** The collection of a request behind the guard. */
export function collectionOf(request: FastifyRequest): Collection {
  if (request.collection === null) throw new AppError('NOT_FOUND');
  return request.collection;
}

/** What the caller may do with some documents of a collection. */
export const permittedActions = (access: CollectionAccess): readonly AccessAction[] =>
  ACCESS_ACTIONS.filter((action) => access[action] !== null);

/** The collection that the path names. Throws NOT_FOUND, also where the caller may do nothing with it. */
export function usableCollectionOf(
  request: FastifyRequest,
  registry: Pick<CollectionRegistry, 'get'>,
): Collection {
  const { version, database, name } = collectionAddressOf(request);
  const collection = registry.get(version, database, name);
  if (collection === undefined || permittedActions(request.caller.access(collection)).length === 0) {
    throw new AppError('NOT_FOUND');
  }
  return collection;
}

/** Throws NO_TOKEN or NOT_PERMITTED unless there are documents of the collection that the caller may do this with. */
export function assertPermitted(
  { client, caller }: FastifyRequest,
  collection: Collection,
  action: AccessAction,
): void {
  const access = caller.access(collection);
  if (access[action] !== null) return;
  if (client === null) throw missingTokenError();
  throw notPermitted(access, caller);
}

/**
 * The action that a request needs to be allowed: old clients POST to a document to update it. What is no known method needs the
 * one to delete, and nothing handles it.
 */
function neededAction(method: string, hasId: boolean): AccessAction {
  if (method === 'POST' && hasId) return 'update';
  return isHttpMethod(method) ? ACTIONS[method] : 'delete';
}

export interface CollectionAccessDeps extends Pick<HttpDeps, 'registry' | 'isReady'> {
  readonly config: { readonly media: { readonly public: boolean } };
}

interface CollectionAccessOptions {
  /** Whether the paths of the scope are those of files, which only media collections have. */
  readonly files?: boolean;
}

const FILE_METHODS = 'GET, HEAD, OPTIONS';

/** Authorizes the caller and sets `request.collection`. Order of errors: 401, 503, 404, 405. */
function resolveCollection(
  request: FastifyRequest,
  { config, registry, isReady }: CollectionAccessDeps,
  { files }: CollectionAccessOptions,
): void {
  const { version = '', database = '', collection: name = '', id } = request.params as Params;
  const collection = registry.get(version, database, name);
  if (collection === undefined) {
    const error = unknownPathError(request, isReady);
    const isMissing = error instanceof AppError && error.code === 'NOT_FOUND';
    throw isMissing ? missingCollectionError(request, { version, database, name }, registry.list) : error;
  }
  const { media } = collection.settings;
  if (files && !media) throw unknownPathError(request);
  // A file directly below the collection has its name where documents have their id.
  const isName = id !== undefined && !isId(id);
  const isRead = isSafeMethod(request.method);
  const isFileRead = media && isRead && (files === true || isName);
  if (!isFileRead || !config.media.public || collection.settings.access !== null) {
    assertPermitted(request, collection, neededAction(request.method, id !== undefined));
  }
  assertReady(isReady);
  if (isName && !isFileRead) {
    const isChange = request.method === 'PUT' || request.method === 'DELETE';
    throw media && isChange ? methodNotAllowed(FILE_METHODS) : new AppError('NOT_FOUND');
  }
  if (!isRead && registry.isRevisionCollection(collection)) {
    throw methodNotAllowed('GET, HEAD, OPTIONS');
  }
  request.collection = collection;
}

/** Makes the guard that sets `request.collection`. */
export function createCollectionGuard(
  deps: CollectionAccessDeps,
  options: CollectionAccessOptions = {},
): RequestGuard {
  return (request, _reply, done) => {
    try {
      resolveCollection(request, deps, options);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}
