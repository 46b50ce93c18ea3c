// `/{version}/{database}/{collection}` and below: documents read and written, files uploaded.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tooManyDocuments } from '../../collections/writes/write-body.ts';
import { AppError } from '../../errors.ts';
import { isId } from '../../lib/ids.ts';
import { acceptPlainJson } from '../body.ts';
import { collectionOf, createEnterCollection, idOf } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import type { Handle } from '../document-answers.ts';
import { createDocumentReads, type ReadsOptions } from '../document-reads.ts';
import { createDocumentRemovals, createDocumentWrites } from '../document-writes.ts';
import type { DownloadHandlers } from '../media/files.ts';
import { acceptForms, isForm } from '../media/form-parts.ts';
import type { ReceiveUpload } from '../media/receive-upload.ts';
import { createUploads, type RefuseUnsigned } from '../media/uploads.ts';
import { resource, serve } from '../resource.ts';

const PATH = '/:version/:database/:collection';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'registry' | 'now' | 'store' | 'logger' | 'isReady'>;

interface DocumentRoutesOptions extends ReadsOptions {
  /** Downloads of files that stand directly below a media collection. */
  readonly files: Pick<DownloadHandlers, 'byPath'>;
  readonly receive: ReceiveUpload;
  readonly refuseUnsigned: RefuseUnsigned;
}

type UploadOptions = Pick<DocumentRoutesOptions, 'receive' | 'refuseUnsigned'>;

/** A form holds files, for a media collection; anything else is a document. */
function createPost(create: Handle, { config }: Deps, options: UploadOptions): Handle {
  const upload = createUploads({ ...options, enabled: config.media.enabled });
  return async (request, reply) => {
    if (!isForm(request)) return create(request, reply);
    const collection = collectionOf(request);
    if (!collection.settings.media) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
    return upload(request, collection, reply);
  };
}

/** Registers the documents of all collections; which ones there are is looked up at each request. */
export function documentRoutes(
  server: FastifyInstance,
  deps: Deps,
  { files, receive, refuseUnsigned, ...options }: DocumentRoutesOptions,
): void {
  const { jsonBytes: bodyLimit, jsonValues, batch } = deps.config.limits;
  const list = { most: batch, refuse: (sent: number) => tooManyDocuments(sent, batch) };
  acceptPlainJson(server, { values: jsonValues, list });
  server.addHook('onRequest', createEnterCollection(deps));
  const reads = createDocumentReads(deps, options);
  const writes = createDocumentWrites(deps);
  const removals = createDocumentRemovals(deps);
  const many = { GET: reads.list, PUT: writes.updateMany, DELETE: removals.many };
  const one = {
    // The scope lets names through in media collections only.
    GET: (request: FastifyRequest, reply: FastifyReply) =>
      isId(idOf(request)) ? reads.one(request, reply) : files.byPath(request, reply),
    POST: writes.updateOne,
    PUT: writes.updateOne,
    DELETE: removals.one,
  };
  const limits = { bodyLimit, conditional: true };
  resource(server, PATH, many, { ...limits, elsewhere: ['POST'] });
  // What the parser of forms adds to each request shall not cost the others anything.
  server.register(async (scope) => {
    acceptForms(scope);
    serve(scope, PATH, { POST: createPost(writes.create, deps, { receive, refuseUnsigned }) }, limits);
  });
  resource(server, `${PATH}/stats`, { GET: reads.stats });
  resource(server, `${PATH}/count`, { GET: reads.count });
  resource(server, `${PATH}/:id`, one, limits);
  resource(server, `${PATH}/:id/history`, { GET: reads.history });
}
