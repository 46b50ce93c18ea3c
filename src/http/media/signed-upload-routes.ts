// Signed uploads: `…/sign` issues a URL for the upload of one file, `…/{token}` receives the file.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { missingTokenError } from '../../auth/auth-errors.ts';
import { invalidUploadTokenError, type VerifiedUpload } from '../../auth/upload-tokens.ts';
import type { Collection } from '../../collections/model/collection.ts';
import { missingFileIssue } from '../../collections/model/media-record-fields.ts';
import { pageJson } from '../../collections/model/page-json.ts';
import { AppError } from '../../errors/errors.ts';
import { bodyLimit, jsonObjectBody } from '../core/body-parsers.ts';
import { findMediaCollection } from '../core/find-media-collection.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { SIGNED_UPLOAD_PATH } from '../core/internal-paths.ts';
import { JSON_TYPE, sendJson, sendText } from '../core/reply.ts';
import {
  assertPermitted,
  assertReady,
  collectionOf,
  createCollectionGuard,
  requireClient,
  unknownPathError,
} from '../core/request-access.ts';
import { urlPath } from '../core/request-url.ts';
import { addResource, type RequestGuard, type RouteHandler } from '../core/resource.ts';
import type { UrlRewriter } from '../core/url-rewrite.ts';
import { SIGN_COLLECTION_UPLOAD, SIGN_MEDIA_UPLOAD, SIGN_UPLOAD, UPLOAD_SIGNED } from './media-operations.ts';
import { acceptMultipart, isMultipartForm } from './multipart-form.ts';
import type { ReceiveUpload } from './receive-upload.ts';
import { parseSignRequest, type SignRequest } from './sign-request.ts';

type Deps = Pick<HttpDeps, 'config' | 'registry' | 'createCaller' | 'uploadTokens' | 'isReady'>;

interface SignedUploadOptions {
  readonly urls: Pick<UrlRewriter, 'uploadOf'>;
  readonly receive: ReceiveUpload;
}

/** The URL of an upload, beside the `…/sign` of the request. */
function signedUrl(request: FastifyRequest, token: string): string {
  const path = urlPath(request.originalUrl).replace(/\/$/, '');
  return path.slice(0, path.lastIndexOf('/') + 1) + token;
}

/** Makes the handler of `…/sign`. `find` finds the collection, and throws unless the caller may upload there. */
function createSignHandler(
  { uploadTokens }: Deps,
  find: (request: FastifyRequest, address: SignRequest['address']) => Collection,
): RouteHandler {
  return async (request, reply) => {
    const { client } = request;
    if (client === null) throw missingTokenError();
    const { address, ...file } = parseSignRequest(jsonObjectBody(request));
    const collection = find(request, address);
    const { token, expiresAt } = await uploadTokens.sign({ ...file, collection, client });
    // The URL is a credential: no cache may store it.
    reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    return sendJson(reply, { url: signedUrl(request, token), expiresAt });
  };
}

/** `/api/media/sign` and `/media/sign`: the body names the collection where there are several. */
function signAnywhereRoutes(server: FastifyInstance, deps: Deps): void {
  const { registry, config } = deps;
  const limit = bodyLimit('few', config.limits.jsonBytes);
  const POST = createSignHandler(deps, (request, address) => {
    const maySee = (collection: Collection) => request.caller.access(collection).create !== null;
    const { defaultBucket } = config.media;
    const collection = findMediaCollection(registry, address, { maySee, defaultBucket });
    assertPermitted(request, collection, 'create');
    return collection;
  });
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', requireMediaEnabled(config));
  addResource(server, '/api/media/sign', { POST }, { operations: { POST: SIGN_UPLOAD }, bodyLimit: limit });
  addResource(server, '/media/sign', { POST }, { operations: { POST: SIGN_MEDIA_UPLOAD }, bodyLimit: limit });
}

/** `{media collection}/sign`: the path names the collection. */
function signForCollectionRoutes(server: FastifyInstance, deps: Deps): void {
  const limit = bodyLimit('few', deps.config.limits.jsonBytes);
  const POST = createSignHandler(deps, (request, address) => {
    // The body must not name another one.
    const collection = collectionOf(request);
    return findMediaCollection({ list: () => [collection] }, address, { maySee: () => true });
  });
  server.addHook('onRequest', createCollectionGuard(deps));
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', requireMediaEnabled(deps.config));
  server.addHook('onRequest', (request, _reply, done) => {
    done(request.collection?.settings.media === true ? undefined : new AppError('NOT_FOUND'));
  });
  const operations = { POST: SIGN_COLLECTION_UPLOAD };
  addResource(server, '/:version/:database/:collection/sign', { POST }, { operations, bodyLimit: limit });
}

/** Guard: rejects uploads with `media.enabled: false`. */
function requireMediaEnabled({ media }: Deps['config']): RequestGuard {
  return (_request, _reply, done) => done(media.enabled === false ? new AppError('NOT_FOUND') : undefined);
}

/** `/api/media` and `/media` where there is not exactly one media collection. */
function ambiguousCollectionRoutes(server: FastifyInstance, { registry, config }: Deps): void {
  const reject: RequestGuard = (request, _reply, done) => {
    const maySee = (collection: Collection) => request.caller.access(collection).read !== null;
    const hasMedia = registry.list().some(({ settings }) => settings.media);
    // `/api/media` takes uploads only: other methods are 405.
    const isTaken = request.method === 'POST' || request.routeOptions.url === '/media';
    if (hasMedia && isTaken) findMediaCollection(registry, {}, { maySee });
    done(hasMedia ? undefined : new AppError('NOT_FOUND'));
  };
  const nothing: RouteHandler = async () => {
    throw new AppError('NOT_FOUND');
  };
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', requireMediaEnabled(config));
  server.addHook('onRequest', reject);
  // Where there is one media collection these are aliases of its path, else errors.
  const none = { GET: null, POST: null, PUT: null, DELETE: null };
  addResource(server, '/api/media', { POST: nothing }, { operations: none });
  const all = { GET: nothing, POST: nothing, PUT: nothing, DELETE: nothing };
  addResource(server, '/media', all, { operations: none });
}

/** Makes the function that verifies the token of a request. Rejects with its error, or NOT_FOUND without the collection. */
function createVerifier(
  { registry, createCaller, uploadTokens, isReady }: Deps,
  { urls }: SignedUploadOptions,
) {
  return async (request: FastifyRequest): Promise<{ grant: VerifiedUpload; collection: Collection }> => {
    const upload = urls.uploadOf(request.raw);
    if (upload === undefined) throw new AppError('NOT_FOUND');
    assertReady(isReady);
    const grant = await uploadTokens.verify(upload.token);
    const { version, database, name } = grant.collection;
    // Compared by path: the specification may have been replaced meanwhile.
    const isElsewhere = upload.collection?.path !== `/${version}/${database}/${name}`;
    if (upload.collection !== undefined && isElsewhere) throw invalidUploadTokenError();
    const collection = registry.get(version, database, name);
    const takesUploads = collection?.settings.media && !registry.isRevisionCollection(collection);
    if (!takesUploads) {
      throw new AppError('NOT_FOUND', { message: 'The collection of this upload does not exist any more' });
    }
    if (createCaller(grant.signer).access(collection).create === null) throw invalidUploadTokenError();
    return { grant, collection };
  };
}

/** `…/{token}`: needs no credential but the token. */
function uploadRoutes(server: FastifyInstance, deps: Deps, options: SignedUploadOptions): void {
  const verify = createVerifier(deps, options);
  const verified = new WeakMap<FastifyRequest, Awaited<ReturnType<typeof verify>>>();
  const isEnabled = deps.config.media.enabled !== false;
  // Before the body is read: an invalid token is rejected at once.
  server.addHook('onRequest', async (request) => {
    const isServed = isEnabled && options.urls.uploadOf(request.raw) !== undefined;
    if (isServed && request.method === 'POST') {
      const allowed = await verify(request);
      verified.set(request, allowed);
      // The upload is made in the name of whoever signed it.
      request.caller = deps.createCaller(allowed.grant.signer);
    } else if (request.client === null || !isServed) throw unknownPathError(request);
  });
  const POST = async (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = verified.get(request);
    if (allowed === undefined) throw new AppError('NOT_FOUND');
    if (!isMultipartForm(request)) throw new AppError('DOCUMENT_INVALID', { items: [missingFileIssue()] });
    const results = await options.receive(request, allowed.collection, allowed.grant);
    return sendText(reply.code(201), JSON_TYPE, pageJson({ results }));
  };
  acceptMultipart(server);
  addResource(server, SIGNED_UPLOAD_PATH, { POST }, { operations: { POST: UPLOAD_SIGNED } });
}

/** Registers signing and signed uploads under all of their paths. */
export function signedUploadRoutes(server: FastifyInstance, deps: Deps, options: SignedUploadOptions): void {
  server.register(async (scope) => signAnywhereRoutes(scope, deps));
  server.register(async (scope) => signForCollectionRoutes(scope, deps));
  server.register(async (scope) => ambiguousCollectionRoutes(scope, deps));
  server.register(async (scope) => uploadRoutes(scope, deps, options));
}
