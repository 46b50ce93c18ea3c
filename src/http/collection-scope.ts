// The way into a collection: which one, does it exist, may the caller, may anyone with this method.
import type { FastifyRequest } from 'fastify';
import { decide } from '../auth/access.ts';
import { noToken, notPermitted } from '../auth/challenge.ts';
import type { Collection, CollectionAddress } from '../collections/collection.ts';
import { AppError } from '../errors.ts';
import { isId } from '../lib/ids.ts';
import type { Hook } from './authenticate.ts';
import type { HttpDeps } from './deps.ts';
import { pathOf } from './error-handler.ts';
import { mayBeCode, mustBeReady } from './readiness.ts';
import { methodNotAllowed } from './resource.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The collection that the path names, once the scope has resolved it. */
    collection: Collection | null;
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);
const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'DELETE']);

type Params = Readonly<Record<'version' | 'database' | 'collection' | 'id', string | undefined>>;

/** The collection that the path names, whether or not it exists. */
export function addressOf(request: FastifyRequest): CollectionAddress {
  const { version = '', database = '', collection = '' } = request.params as Params;
  return { version, database, name: collection };
}

/** The document that the path names. */
export function idOf(request: FastifyRequest): string {
  return ((request.params as Params).id ?? '').toLowerCase();
}

/** The collection of a request inside the scope. */
export function collectionOf(request: FastifyRequest): Collection {
  if (request.collection === null) throw new AppError('NOT_FOUND');
  return request.collection;
}

/** Throws the challenge when the caller may not use this method on the collection. */
export function guard(request: FastifyRequest, collection: Collection, method: string): void {
  const decision = decide(request.client, collection, method);
  if (decision === 'no-token') throw noToken();
  if (decision === 'denied') throw notPermitted(pathOf(request));
}

/** What the caller really asks for: old clients POST to a document to change it, anything unknown only asks. */
function meant(method: string, hasId: boolean): string {
  if (method === 'POST' && hasId) return 'PUT';
  return WRITES.has(method) ? method : 'GET';
}

/** What the hook needs to know. */
export interface EnterDeps extends Pick<HttpDeps, 'registry' | 'isReady'> {
  readonly config: { readonly media: { readonly public: boolean } };
}

interface EnterOptions {
  /** Whether the addresses of the scope are those of files, which only media collections have. */
  readonly files?: boolean;
}

const FILE_METHODS = 'GET, HEAD, OPTIONS';
const unknownPath = (request: FastifyRequest) =>
  request.client === null ? noToken() : new AppError('NOT_FOUND');

function enter(
  request: FastifyRequest,
  { config, registry, isReady }: EnterDeps,
  { files }: EnterOptions,
): void {
  const { version = '', database = '', collection: name = '', id } = request.params as Params;
  const collection = registry.get(version, database, name);
  // Posted code may have this path.
  if (collection === undefined && mayBeCode(pathOf(request))) mustBeReady(isReady);
  if (collection === undefined) throw unknownPath(request);
  const { media } = collection.settings;
  if (files && !media) throw unknownPath(request);
  // Files that stand directly below the collection have their name where documents have their id.
  const isName = id !== undefined && !isId(id);
  const isFileRead = media && READS.has(request.method) && (files === true || isName);
  if (!isFileRead || !config.media.public)
    guard(request, collection, meant(request.method, id !== undefined));
  mustBeReady(isReady);
  if (isName && !isFileRead) {
    const isChange = request.method === 'PUT' || request.method === 'DELETE';
    throw media && isChange ? methodNotAllowed(FILE_METHODS) : new AppError('NOT_FOUND');
  }
  if (!READS.has(request.method) && registry.isRevisionCollection(collection)) {
    throw methodNotAllowed('GET, HEAD, OPTIONS');
  }
  request.collection = collection;
}

/** Makes the hook that resolves `request.collection`: refusals in the order 401, 503, 404, 405. */
export function createEnterCollection(deps: EnterDeps, options: EnterOptions = {}): Hook {
  return (request, _reply, done) => {
    try {
      enter(request, deps, options);
      done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}
