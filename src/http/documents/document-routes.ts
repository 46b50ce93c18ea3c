// `/{version}/{database}/{collection}` and below: reads and writes of documents, uploads of files.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createTooManyDocumentsError } from '../../collections/writes/request-body.ts';
import { AppError } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import { collectionOf, createCollectionHook, documentIdOf } from '../access/collection-access.ts';
import { acceptTextAsJson } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { createQueryParser } from '../core/request-url.ts';
import { addHandlers, addResource, type RouteHandler } from '../core/resource.ts';
import type { DownloadHandlers } from '../media/file-downloads.ts';
import { acceptMultipart, isMultipartForm } from '../media/multipart-form.ts';
import { createUploadHandler, type ReceiveUpload } from '../media/receive-upload.ts';
import { createDocumentReads, type ReadsOptions } from './document-reads.ts';
import { createDocumentRemovals, createDocumentWrites } from './document-writes.ts';

const PATH = '/:version/:database/:collection';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'registry' | 'now' | 'store' | 'logger' | 'isReady'>;

interface DocumentRoutesOptions extends Omit<ReadsOptions, 'parse'> {
  /** Downloads of files directly below a media collection. */
  readonly files: Pick<DownloadHandlers, 'byPath'>;
  readonly receive: ReceiveUpload;
}

/** POST: a multipart form is an upload to a media collection, anything else a document. */
function createPost(create: RouteHandler, receive: ReceiveUpload, { config }: Deps): RouteHandler {
  const upload = createUploadHandler({ receive, enabled: config.media.enabled });
  return async (request, reply) => {
    if (!isMultipartForm(request)) return create(request, reply);
    const collection = collectionOf(request);
    if (!collection.settings.media) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    return upload(request, collection, reply);
  };
}

/** Registers the documents of all collections, which are looked up at each request. */
export function documentRoutes(
  server: FastifyInstance,
  deps: Deps,
  { files, receive, ...options }: DocumentRoutesOptions,
): void {
  const { jsonBytes: bodyLimit, jsonValues, batch } = deps.config.limits;
  const list = {
    maxElements: batch,
    createError: (sent: number) => createTooManyDocumentsError(sent, batch),
  };
  acceptTextAsJson(server, { maxValues: jsonValues, list });
  server.addHook('onRequest', createCollectionHook(deps));
  const parse = createQueryParser();
  const reads = createDocumentReads(deps, { ...options, parse });
  const writes = createDocumentWrites(deps);
  const removals = createDocumentRemovals(deps);
  const many = { GET: reads.list, PUT: writes.updateMany, DELETE: removals.many };
  const byId = {
    // The hook lets names pass in media collections only.
    GET: (request: FastifyRequest, reply: FastifyReply) =>
      isId(documentIdOf(request)) ? reads.one(request, reply) : files.byPath(request, reply),
    POST: writes.updateOne,
    PUT: writes.updateOne,
    DELETE: removals.one,
  };
  const limits = { bodyLimit, handlesPreconditions: true, parse };
  addResource(server, PATH, many, { ...limits, elsewhere: ['POST'] });
  // In a scope of its own: the multipart parser adds work to each request.
  server.register(async (scope) => {
    acceptMultipart(scope);
    addHandlers(scope, PATH, { POST: createPost(writes.create, receive, deps) }, limits);
  });
  addResource(server, `${PATH}/stats`, { GET: reads.stats }, { parse });
  addResource(server, `${PATH}/count`, { GET: reads.count }, { parse });
  addResource(server, `${PATH}/:id`, byId, limits);
  addResource(server, `${PATH}/:id/history`, { GET: reads.history }, { parse });
}
