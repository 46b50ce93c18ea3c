// Handlers that write documents. Whether the caller may use the method is decided before they run.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoveResult, WriteOptions } from '../collections/documents.ts';
import { isJsonObject, type Json } from '../lib/json.ts';
import { bodyOf } from './body.ts';
import { collectionOf, guard, idOf } from './collection-scope.ts';
import type { HttpDeps } from './deps.ts';
import { createContext, documentsText, type Handle, pageText } from './document-answers.ts';
import { preconditionOf, refusePreconditions } from './preconditions.ts';
import { compose, parseQuery } from './query-string.ts';
import { JSON_TYPE, sendText, sendValue } from './reply.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now'>;
type RemovalDeps = Deps & Pick<HttpDeps, 'logger'>;

function composeOptions(request: FastifyRequest): Pick<WriteOptions, 'compose'> {
  return { compose: compose(parseQuery(request.originalUrl)) };
}

function writeOptions(request: FastifyRequest): WriteOptions {
  return { ...composeOptions(request), ifMatch: preconditionOf(request) };
}

/** Old clients POST `{query, update}` to change documents, unless those are the names of fields. */
function isUpdate(request: FastifyRequest, body: Json): boolean {
  if (!isJsonObject(body) || !Object.hasOwn(body, 'query') || !Object.hasOwn(body, 'update')) return false;
  const { fields } = collectionOf(request);
  return !fields.has('query') && !fields.has('update');
}

/** `{"query": {}}` is a whole collection: allowed, as it always was in this dialect, and often a mistake. */
function wantsEverything(body: Json): boolean {
  const query = isJsonObject(body) ? body['query'] : undefined;
  return isJsonObject(query) && Object.keys(query).length === 0;
}

/** Makes the handlers that delete. They answer 204, or counts where the configuration wants feedback. */
export function createDocumentRemovals(deps: RemovalDeps): Record<'one' | 'many', Handle> {
  const { config, documents, logger } = deps;
  const context = createContext(deps);
  const counts = config.feedback.enabled;
  const answer = (reply: FastifyReply, { deleted, totalCount }: RemoveResult) => {
    if (!counts) return reply.code(204).send();
    const message = 'Documents deleted successfully';
    return sendValue(reply, { status: 'success', message, deleted, deletedCount: deleted, totalCount });
  };
  return {
    one: async (request, reply) => {
      const options = { ifMatch: preconditionOf(request), counts };
      const id = idOf(request);
      return answer(reply, await documents.removeById(collectionOf(request), id, context(request), options));
    },
    many: async (request, reply) => {
      refusePreconditions(request);
      const collection = collectionOf(request);
      const body = bodyOf(request);
      const removed = await documents.removeByQuery(collection, body, context(request), { counts });
      if (wantsEverything(body)) {
        const by = request.client?.clientId ?? null;
        const about = { requestId: request.id, path: collection.path, by, deleted: removed.deleted };
        logger.warn(about, 'every document of a collection was deleted');
      }
      return answer(reply, removed);
    },
  };
}

/** Makes the handlers that create and update. */
export function createDocumentWrites(deps: Deps): Record<'create' | 'updateOne' | 'updateMany', Handle> {
  const { documents } = deps;
  const context = createContext(deps);
  const updateMany: Handle = async (request, reply) => {
    refusePreconditions(request);
    const options = composeOptions(request);
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
      refusePreconditions(request, ['if-match']);
      const { results } = await documents.create(collection, body, context(request), composeOptions(request));
      return sendText(reply, JSON_TYPE, documentsText(results));
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
