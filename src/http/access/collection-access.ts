// Resolves the collection from the path and authorises the caller. Order of errors: 401, 503, 404, 405.
import type { FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import { authorizeCollection } from '../../auth/authorize.ts';
import type { Collection, CollectionAddress } from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { requestPath } from '../core/request-url.ts';
import { methodNotAllowed, type OnRequestHook } from '../core/resource.ts';
import { assertReady, unknownPathError } from './authenticate.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The collection that the path names, once the hook has resolved it. */
    collection: Collection | null;
  }
}

const READ_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const WRITE_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

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

/** The collection of a request behind the hook. */
export function collectionOf(request: FastifyRequest): Collection {
  if (request.collection === null) throw new AppError('NOT_FOUND');
  return request.collection;
}

/** Throws NO_TOKEN or NOT_PERMITTED unless the caller may use this method on the collection. */
export function assertPermitted(request: FastifyRequest, collection: Collection, method: string): void {
  const decision = authorizeCollection(request.client, collection, method);
  if (decision === 'no-token') throw missingTokenError();
  if (decision === 'denied') throw notPermittedError(requestPath(request));
}

/** The method that counts for permissions: old clients POST to a document to update it; unknown methods count as GET. */
function effectiveMethod(method: string, hasId: boolean): string {
  if (method === 'POST' && hasId) return 'PUT';
  return WRITE_METHODS.has(method) ? method : 'GET';
}

export interface CollectionAccessDeps extends Pick<HttpDeps, 'registry' | 'isReady'> {
  readonly config: { readonly media: { readonly public: boolean } };
}

interface CollectionAccessOptions {
  /** Whether the paths of the scope are those of files, which only media collections have. */
  readonly files?: boolean;
}

const FILE_METHODS = 'GET, HEAD, OPTIONS';

function resolveCollection(
  request: FastifyRequest,
  { config, registry, isReady }: CollectionAccessDeps,
  { files }: CollectionAccessOptions,
): void {
  const { version = '', database = '', collection: name = '', id } = request.params as Params;
  const collection = registry.get(version, database, name);
  if (collection === undefined) throw unknownPathError(request, isReady);
  const { media } = collection.settings;
  if (files && !media) throw unknownPathError(request);
  // A file directly below the collection has its name where documents have their id.
  const isName = id !== undefined && !isId(id);
  const isFileRead = media && READ_METHODS.has(request.method) && (files === true || isName);
  if (!isFileRead || !config.media.public)
    assertPermitted(request, collection, effectiveMethod(request.method, id !== undefined));
  assertReady(isReady);
  if (isName && !isFileRead) {
    const isChange = request.method === 'PUT' || request.method === 'DELETE';
    throw media && isChange ? methodNotAllowed(FILE_METHODS) : new AppError('NOT_FOUND');
  }
  if (!READ_METHODS.has(request.method) && registry.isRevisionCollection(collection)) {
    throw methodNotAllowed('GET, HEAD, OPTIONS');
  }
  request.collection = collection;
}

/** Makes the hook that sets `request.collection`. */
export function createCollectionHook(
  deps: CollectionAccessDeps,
  options: CollectionAccessOptions = {},
): OnRequestHook {
  return (request, _reply, done) => {
    try {
      resolveCollection(request, deps, options);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}
