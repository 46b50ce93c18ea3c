// `/{version}/{database}/{collection}` and below: the handlers that write documents, and the routes of reads, writes and uploads.
// Access is decided before a handler runs.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RemoveResult, RequestContext, WriteOptions } from '../../collections/model/documents.ts';
import { pageJson } from '../../collections/model/page-json.ts';
import { createTooManyDocumentsError } from '../../collections/writes/request-body.ts';
import { AppError } from '../../errors/errors.ts';
import { isId } from '../../lib/ids.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { acceptTextAsJson, jsonBody, unsupportedType } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { parsePreconditions, rejectPreconditions } from '../core/preconditions.ts';
import { JSON_TYPE, sendJson, sendText } from '../core/reply.ts';
import {
  assertPermitted,
  collectionOf,
  createCollectionGuard,
  documentIdOf,
} from '../core/request-access.ts';
import { createContextFactory, hookBodyText } from '../core/request-context.ts';
import { parseCompose, parseQuery } from '../core/request-url.ts';
import { addMethodRoutes, addResource, type RouteHandler } from '../core/resource.ts';
import type { DownloadHandlers } from '../media/file-downloads.ts';
import { acceptMultipart, isMultipartForm } from '../media/multipart-form.ts';
import { createUploadHandler, type ReceiveUpload } from '../media/receive-upload.ts';
import { DOCUMENT_OPERATIONS } from './document-operations.ts';
import { createDocumentReads, type ReadsOptions } from './document-reads.ts';
import { createReadQueryParser } from './read-query.ts';

const PATH = '/:version/:database/:collection';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'registry' | 'now' | 'store' | 'logger' | 'isReady'>;

function composeOptions(request: FastifyRequest): Pick<WriteOptions, 'compose'> {
  return { compose: parseCompose(parseQuery(request.originalUrl)) };
}

function writeOptions(request: FastifyRequest): WriteOptions {
  return { ...composeOptions(request), ifMatch: parsePreconditions(request) };
}

/** True for an update as old clients POST it, `{query, update}`, unless the collection has fields of these names. */
function isLegacyUpdate(request: FastifyRequest, body: Json): boolean {
  if (!isJsonObject(body) || !Object.hasOwn(body, 'query') || !Object.hasOwn(body, 'update')) return false;
  const { fields } = collectionOf(request);
  return !fields.has('query') && !fields.has('update');
}

/** Makes the function that gives the context of a write: with the body, where hooks may want it. */
function createWriteContext(deps: Deps) {
  const create = createContextFactory(deps);
  return (request: FastifyRequest): RequestContext => {
    const isHooked = collectionOf(request).settings.hooks !== null;
    return create(request, isHooked ? hookBodyText(jsonBody(request)) : undefined);
  };
}

/** Makes the handlers that delete. They send 204, or counts with `feedback.enabled`. */
function createDocumentRemovals(deps: Deps): Record<'one' | 'many', RouteHandler> {
  const { config, documents } = deps;
  const context = createWriteContext(deps);
  const countRemaining = config.feedback.enabled;
  const answer = (reply: FastifyReply, { deleted, totalCount }: RemoveResult) => {
    if (!countRemaining) return reply.code(204).send();
    const message = 'Documents deleted successfully';
    return sendJson(reply, { status: 'success', message, deleted, deletedCount: deleted, totalCount });
  };
  return {
    one: async (request, reply) => {
      const options = { ifMatch: parsePreconditions(request), countRemaining };
      const id = documentIdOf(request);
      return answer(reply, await documents.removeById(collectionOf(request), id, context(request), options));
    },
    many: async (request, reply) => {
      rejectPreconditions(request);
      const body = jsonBody(request);
      return answer(
        reply,
        await documents.removeByQuery(collectionOf(request), body, context(request), { countRemaining }),
      );
    },
  };
}

/** Throws BAD_REQUEST for fields: whoever sends some expects them to be set, and a revision is written as it is. */
function rejectRestoreBody(body: Json): void {
  if (body === null || (isJsonObject(body) && Object.keys(body).length === 0)) return;
  const message = 'Restoring takes no body: it writes the state of the revision. Change fields with `PUT`';
  throw new AppError('BAD_REQUEST', { message });
}

/** Makes the handlers that create and update. */
function createDocumentWrites(
  deps: Deps,
): Record<'create' | 'updateOne' | 'updateMany' | 'restore', RouteHandler> {
  const { documents } = deps;
  const context = createWriteContext(deps);
  const updateMany: RouteHandler = async (request, reply) => {
    rejectPreconditions(request);
    const options = composeOptions(request);
    const body = jsonBody(request);
    const page = await documents.updateByQuery(collectionOf(request), body, context(request), options);
    return sendText(reply, JSON_TYPE, pageJson(page));
  };
  return {
    create: async (request, reply) => {
      const collection = collectionOf(request);
      const body = jsonBody(request);
      if (isLegacyUpdate(request, body)) {
        assertPermitted(request, collection, 'update');
        return updateMany(request, reply);
      }
      rejectPreconditions(request, ['if-match']);
      const { results } = await documents.create(collection, body, context(request), composeOptions(request));
      return sendText(reply, JSON_TYPE, pageJson({ results }));
    },
    updateOne: async (request, reply) => {
      const options = writeOptions(request);
      const id = documentIdOf(request);
      const body = jsonBody(request);
      const page = await documents.updateById(collectionOf(request), id, body, context(request), options);
      return sendText(reply, JSON_TYPE, pageJson(page));
    },
    updateMany,
    async restore(request, reply) {
      const { revisionId = '' } = request.params as Readonly<Record<string, string | undefined>>;
      if (!isId(revisionId)) throw new AppError('NOT_FOUND');
      rejectRestoreBody(jsonBody(request));
      const target = { id: documentIdOf(request), revisionId: revisionId.toLowerCase() };
      const options = writeOptions(request);
      const page = await documents.restore(collectionOf(request), target, context(request), options);
      return sendText(reply, JSON_TYPE, pageJson(page));
    },
  };
}

/** POST: a multipart form is an upload to a media collection, anything else a document. */
function createPost(create: RouteHandler, receive: ReceiveUpload, { config }: Deps): RouteHandler {
  const upload = createUploadHandler({ receive, enabled: config.media.enabled });
  const receiveForm: RouteHandler = async (request, reply) => {
    const collection = collectionOf(request);
    if (!collection.settings.media) throw unsupportedType(request, JSON_TYPE);
    return upload(request, collection, reply);
  };
  return (request, reply) =>
    isMultipartForm(request) ? receiveForm(request, reply) : create(request, reply);
}

interface DocumentRoutesOptions extends Omit<ReadsOptions, 'parse'> {
  /** Downloads of files directly below a media collection. */
  readonly files: Pick<DownloadHandlers, 'byPath'>;
  readonly receive: ReceiveUpload;
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
  server.addHook('onRequest', createCollectionGuard(deps));
  const parse = createReadQueryParser();
  const reads = createDocumentReads(deps, { ...options, parse });
  const writes = createDocumentWrites(deps);
  const removals = createDocumentRemovals(deps);
  const many = { GET: reads.list, PUT: writes.updateMany, DELETE: removals.many };
  const byId = {
    // The guard lets names pass in media collections only.
    GET(request: FastifyRequest, reply: FastifyReply) {
      if (isId(documentIdOf(request))) return reads.one(request, reply);
      parse(request.originalUrl);
      return files.byPath(request, reply);
    },
    POST: writes.updateOne,
    PUT: writes.updateOne,
    DELETE: removals.one,
  };
  const readOptions = { parse, handlerParsesGetQuery: true };
  const documentOptions = { ...readOptions, bodyLimit, handlesPreconditions: true };
  const { list: find, create, updateMany, removeMany, get, update, remove, ...other } = DOCUMENT_OPERATIONS;
  addResource(server, PATH, many, {
    ...documentOptions,
    operations: { GET: find, PUT: updateMany, DELETE: removeMany },
    elsewhere: ['POST'],
  });
  // In a scope of its own: no other method takes a form.
  server.register(async (scope) => {
    acceptMultipart(scope);
    const POST = createPost(writes.create, receive, deps);
    addMethodRoutes(scope, PATH, { POST }, { ...documentOptions, operations: { POST: create } });
  });
  addResource(server, `${PATH}/stats`, { GET: reads.stats }, { parse, operations: { GET: other.stats } });
  addResource(
    server,
    `${PATH}/count`,
    { GET: reads.count },
    { ...readOptions, operations: { GET: other.count } },
  );
  // Older clients POST what others PUT.
  const operations = { GET: get, POST: null, PUT: update, DELETE: remove };
  addResource(server, `${PATH}/:id`, byId, { ...documentOptions, operations });
  addResource(
    server,
    `${PATH}/:id/revisions/:revisionId/restore`,
    { POST: writes.restore },
    { ...documentOptions, operations: { POST: other.restore } },
  );
  addResource(
    server,
    `${PATH}/:id/history`,
    { GET: reads.history },
    { ...readOptions, operations: { GET: other.history } },
  );
}
