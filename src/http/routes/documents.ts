// `/{version}/{database}/{collection}` and below: documents read and written.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createCaller } from '../../auth/access.ts';
import type { Context, Page, ReadRequest, WriteOptions } from '../../collections/documents.ts';
import { AppError } from '../../errors.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';
import { acceptPlainJson, bodyOf } from '../body.ts';
import { collectionOf, createEnterCollection, guard, idOf } from '../collection-scope.ts';
import type { HttpDeps } from '../deps.ts';
import { ifMatch } from '../etag.ts';
import { flag, parseQuery } from '../query-string.ts';
import { createReadResponder } from '../read-response.ts';
import { JSON_TYPE, sendText, sendValue } from '../reply.ts';
import { resource } from '../resource.ts';
import type { Representation, ResponseCache } from '../response-cache.ts';

const PATH = '/:version/:database/:collection';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'registry' | 'now' | 'store'>;
type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

const pageText = ({ results, metadata }: Page) =>
  `{"results":[${results.join(',')}],"metadata":${JSON.stringify(metadata)}}`;

function createContext({ config, now }: Deps) {
  return (request: FastifyRequest): Context => ({
    caller: createCaller(request.client),
    deadline: now() + config.limits.queryMs,
  });
}

function writeOptions(request: FastifyRequest): WriteOptions {
  return {
    compose: flag(parseQuery(request.url), 'compose'),
    ifMatch: ifMatch(request.headers['if-match']),
  };
}

/** Old clients POST `{query, update}` to change documents, unless those are the names of fields. */
function isUpdate(request: FastifyRequest, body: Json): boolean {
  if (!isJsonObject(body) || !Object.hasOwn(body, 'query') || !Object.hasOwn(body, 'update')) return false;
  const { fields } = collectionOf(request);
  return !fields.has('query') && !fields.has('update');
}

function createReads(
  deps: Deps,
  cache: ResponseCache | undefined,
): Record<'list' | 'one' | 'count' | 'history' | 'stats', Handle> {
  const { documents, store } = deps;
  const context = createContext(deps);
  const respond = createReadResponder(cache, { jsonp: true });
  const respondPlain = createReadResponder(cache, { jsonp: false });
  const one = async (request: FastifyRequest, read: ReadRequest): Promise<Representation> => {
    const page = await documents.get(collectionOf(request), idOf(request), read, context(request));
    if (page.v !== undefined) return { body: pageText(page), v: page.v };
    throw new AppError('DOCUMENT_NOT_FOUND', { body: { results: [], metadata: page.metadata } });
  };
  return {
    list: (request, reply) =>
      respond(request, reply, async (read) => ({
        body: pageText(await documents.list(collectionOf(request), read, context(request))),
      })),
    one: (request, reply) => respond(request, reply, (read) => one(request, read)),
    count: (request, reply) =>
      respondPlain(request, reply, async (read) => ({
        body: JSON.stringify(await documents.count(collectionOf(request), read, context(request))),
      })),
    history: (request, reply) =>
      respondPlain(request, reply, async (read) => ({
        body: pageText(await documents.history(collectionOf(request), idOf(request), read, context(request))),
      })),
    stats: async (request, reply) => {
      const { deadline } = context(request);
      return sendValue(reply, await store.stats(collectionOf(request).namespace, { deadline }));
    },
  };
}

function createRemovals(deps: Deps): Record<'one' | 'many', Handle> {
  const { config, documents } = deps;
  const context = createContext(deps);
  const answer = (reply: FastifyReply, { deleted, totalCount }: { deleted: number; totalCount: number }) => {
    if (!config.feedback.enabled) return reply.code(204).send();
    const message = 'Documents deleted successfully';
    return sendValue(reply, { status: 'success', message, deleted, deletedCount: deleted, totalCount });
  };
  return {
    one: async (request, reply) => {
      const options = writeOptions(request);
      const id = idOf(request);
      return answer(reply, await documents.removeById(collectionOf(request), id, context(request), options));
    },
    many: async (request, reply) => {
      const removed = await documents.removeByQuery(collectionOf(request), bodyOf(request), context(request));
      return answer(reply, removed);
    },
  };
}

function createWrites(deps: Deps): Record<'create' | 'updateOne' | 'updateMany', Handle> {
  const { documents } = deps;
  const context = createContext(deps);
  const updateMany: Handle = async (request, reply) => {
    const options = writeOptions(request);
    const body = bodyOf(request);
    const page = await documents.updateByQuery(collectionOf(request), body, context(request), options);
    return sendText(reply, JSON_TYPE, pageText(page));
  };
  return {
    create: async (request, reply) => {
      const collection = collectionOf(request);
      const body = bodyOf(request);
      if (isUpdate(request, body)) {
        guard(request, collection, 'PUT');
        return updateMany(request, reply);
      }
      if (collection.settings.media) {
        throw new AppError('DOCUMENT_INVALID', { items: [{ field: 'file', message: 'must be specified' }] });
      }
      const { results } = await documents.create(collection, body, context(request), writeOptions(request));
      return sendText(reply, JSON_TYPE, `{"results":[${results.join(',')}]}`);
    },
    updateOne: async (request, reply) => {
      const options = writeOptions(request);
      const id = idOf(request);
      const body = bodyOf(request);
      const page = await documents.updateById(collectionOf(request), id, body, context(request), options);
      return sendText(reply, JSON_TYPE, pageText(page));
    },
    updateMany,
  };
}

/** Registers the documents of all collections; which ones there are is looked up at each request. */
export function documentRoutes(server: FastifyInstance, deps: Deps, cache: ResponseCache | undefined): void {
  acceptPlainJson(server);
  server.addHook('onRequest', createEnterCollection(deps.registry));
  const reads = createReads(deps, cache);
  const writes = createWrites(deps);
  const removals = createRemovals(deps);
  resource(server, PATH, {
    GET: reads.list,
    POST: writes.create,
    PUT: writes.updateMany,
    DELETE: removals.many,
  });
  resource(server, `${PATH}/stats`, { GET: reads.stats });
  resource(server, `${PATH}/count`, { GET: reads.count });
  resource(server, `${PATH}/:id`, {
    GET: reads.one,
    POST: writes.updateOne,
    PUT: writes.updateOne,
    DELETE: removals.one,
  });
  resource(server, `${PATH}/:id/history`, { GET: reads.history });
}
