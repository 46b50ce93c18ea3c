// Signed uploads: `…/sign` gives whoever may upload a URL that uploads one file, `…/{token}` takes the file.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { decide } from '../../auth/access.ts';
import { noToken } from '../../auth/challenge.ts';
import { invalidUploadToken, type VerifiedUpload } from '../../auth/upload-tokens.ts';
import type { Collection } from '../../collections/collection.ts';
import { missingFileItem } from '../../collections/record-fields.ts';
import { AppError } from '../../errors.ts';
import { type Hook, requireClient } from '../authenticate.ts';
import { objectBody } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { collectionOf, createEnterCollection, guard } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { documentsText, type Handle } from '../document-answers.ts';
import { pathIn } from '../endpoint-address.ts';
import { acceptForms, isForm } from '../media/form-parts.ts';
import { type MediaAddresses, SIGNED_UPLOAD_PATH } from '../media/media-address.ts';
import { mediaCollectionOf } from '../media/media-collection.ts';
import type { ReceiveUpload } from '../media/receive-upload.ts';
import { parseSignRequest, type SignRequest } from '../media/sign-request.ts';
import { mustBeReady } from '../readiness.ts';
import { JSON_TYPE, sendText, sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

type Deps = Pick<HttpDeps, 'config' | 'registry' | 'uploadTokens' | 'isReady'>;

interface Options {
  readonly addresses: Pick<MediaAddresses, 'uploadOf'>;
  readonly receive: ReceiveUpload;
}

/** The URL of an upload in the form in which its `…/sign` was asked for. */
function signedUrl(request: FastifyRequest, token: string): string {
  const path = pathIn(request.originalUrl).replace(/\/$/, '');
  return path.slice(0, path.lastIndexOf('/') + 1) + token;
}

/** Makes the handler of `…/sign`; `find` says which collection the request means, and that the caller may upload there. */
function createSign(
  { uploadTokens }: Deps,
  find: (request: FastifyRequest, address: SignRequest['address']) => Collection,
): Handle {
  return async (request, reply) => {
    const { client } = request;
    if (client === null) throw noToken();
    const { address, ...file } = parseSignRequest(objectBody(request));
    const collection = find(request, address);
    const { token, expiresAt } = await uploadTokens.sign({ ...file, collection, clientId: client.clientId });
    // Whoever has the answer may upload: nothing on its way keeps it.
    reply.headers({ 'Cache-Control': 'no-store', Pragma: 'no-cache' });
    return sendValue(reply, { url: signedUrl(request, token), expiresAt });
  };
}

/** `/api/media/sign` and `/media/sign`: the body says which collection, where there are several. */
function signAnywhereRoutes(server: FastifyInstance, deps: Deps): void {
  const { registry, config } = deps;
  const limits = { bodyLimit: bodyLimit('few', config.limits.jsonBytes) };
  const POST = createSign(deps, (request, address) => {
    const maySee = (collection: Collection) => decide(request.client, collection, 'POST') === 'ok';
    const collection = mediaCollectionOf(registry, address, maySee);
    guard(request, collection, 'POST');
    return collection;
  });
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', mustBeEnabled(config));
  resource(server, '/api/media/sign', { POST }, limits);
  resource(server, '/media/sign', { POST }, limits);
}

/** `{media collection}/sign`: the path says which collection. */
function signForCollectionRoutes(server: FastifyInstance, deps: Deps): void {
  const limits = { bodyLimit: bodyLimit('few', deps.config.limits.jsonBytes) };
  const POST = createSign(deps, (request, address) => {
    // What the body says too must not be another one.
    const collection = collectionOf(request);
    return mediaCollectionOf({ list: () => [collection] }, address, () => true);
  });
  server.addHook('onRequest', createEnterCollection(deps));
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', mustBeEnabled(deps.config));
  server.addHook('onRequest', (request, _reply, done) => {
    done(request.collection?.settings.media === true ? undefined : new AppError('NOT_FOUND'));
  });
  resource(server, '/:version/:database/:collection/sign', { POST }, limits);
}

/** Hook: with `media.enabled: false` there are no uploads. */
function mustBeEnabled({ media }: Deps['config']): Hook {
  return (_request, _reply, done) => done(media.enabled === false ? new AppError('NOT_FOUND') : undefined);
}

/** `/api/media` and `/media` where they stand for no collection, because there is none, or not only one. */
function nowhereRoutes(server: FastifyInstance, { registry, config }: Deps): void {
  const refuse: Hook = (request, _reply, done) => {
    const maySee = (collection: Collection) => decide(request.client, collection, 'GET') === 'ok';
    const hasMedia = registry.list().some(({ settings }) => settings.media);
    // Uploads are all that `/api/media` is for: other methods are 405 there.
    const isTaken = request.method === 'POST' || request.routeOptions.url === '/media';
    if (hasMedia && isTaken) mediaCollectionOf(registry, {}, maySee);
    done(hasMedia ? undefined : new AppError('NOT_FOUND'));
  };
  const nothing: Handle = async () => {
    throw new AppError('NOT_FOUND');
  };
  server.addHook('onRequest', requireClient);
  server.addHook('onRequest', mustBeEnabled(config));
  server.addHook('onRequest', refuse);
  resource(server, '/api/media', { POST: nothing });
  resource(server, '/media', { GET: nothing, POST: nothing, PUT: nothing, DELETE: nothing });
}

/** Looks up what the token of a request allows. Rejects with the errors of tokens; NOT_FOUND when the collection is gone. */
function createVerify({ registry, uploadTokens, isReady }: Deps, { addresses }: Options) {
  return async (request: FastifyRequest): Promise<{ grant: VerifiedUpload; collection: Collection }> => {
    const upload = addresses.uploadOf(request.raw);
    if (upload === undefined) throw new AppError('NOT_FOUND');
    mustBeReady(isReady);
    const grant = await uploadTokens.verify(upload.token);
    const { version, database, name } = grant.collection;
    // By path: the specification may have been posted anew meanwhile.
    const isElsewhere = upload.collection?.path !== `/${version}/${database}/${name}`;
    if (upload.collection !== undefined && isElsewhere) throw invalidUploadToken();
    const collection = registry.get(version, database, name);
    const takesUploads = collection?.settings.media && !registry.isRevisionCollection(collection);
    if (!takesUploads) {
      throw new AppError('NOT_FOUND', { message: 'The collection of this upload does not exist any more' });
    }
    if (decide(grant.signer, collection, 'POST') !== 'ok') throw invalidUploadToken();
    return { grant, collection };
  };
}

/** `…/{token}`: the token is all that is needed. */
function uploadRoutes(server: FastifyInstance, deps: Deps, options: Options): void {
  const verify = createVerify(deps, options);
  const verified = new WeakMap<FastifyRequest, Awaited<ReturnType<typeof verify>>>();
  const isEnabled = deps.config.media.enabled !== false;
  // Before the body is read: who has no good token need not send any.
  server.addHook('onRequest', async (request) => {
    const isServed = isEnabled && options.addresses.uploadOf(request.raw) !== undefined;
    if (isServed && request.method === 'POST') verified.set(request, await verify(request));
    else if (request.client === null) throw noToken();
    else if (!isServed) throw new AppError('NOT_FOUND');
  });
  const POST = async (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = verified.get(request);
    if (allowed === undefined) throw new AppError('NOT_FOUND');
    if (!isForm(request)) throw new AppError('DOCUMENT_INVALID', { items: [missingFileItem()] });
    const results = await options.receive(request, allowed.collection, allowed.grant);
    return sendText(reply.code(201), JSON_TYPE, documentsText(results));
  };
  acceptForms(server);
  resource(server, SIGNED_UPLOAD_PATH, { POST });
}

/** Registers signing and signed uploads under every address that they have. */
export function signedUploadRoutes(server: FastifyInstance, deps: Deps, options: Options): void {
  server.register(async (scope) => signAnywhereRoutes(scope, deps));
  server.register(async (scope) => signForCollectionRoutes(scope, deps));
  server.register(async (scope) => nowhereRoutes(scope, deps));
  server.register(async (scope) => uploadRoutes(scope, deps, options));
}
