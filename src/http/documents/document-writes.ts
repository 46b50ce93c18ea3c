// Handlers that write documents. Access is decided before they run.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RemoveResult, WriteOptions } from '../../collections/model/documents.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { assertPermitted, collectionOf, documentIdOf } from '../access/collection-access.ts';
import { jsonBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { parsePreconditions, rejectPreconditions } from '../core/preconditions.ts';
import { parseCompose, parseQuery } from '../core/query-string.ts';
import { formatPage, formatResults, JSON_TYPE, sendJson, sendText } from '../core/reply.ts';
import { createContextFactory } from '../core/request-context.ts';
import type { RouteHandler } from '../core/resource.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now'>;
type RemovalDeps = Deps & Pick<HttpDeps, 'logger'>;

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

/** `{"query": {}}` is a whole collection: allowed, as it always was in this dialect, and often a mistake. */
function matchesEverything(body: Json): boolean {
  const query = isJsonObject(body) ? body['query'] : undefined;
  return isJsonObject(query) && Object.keys(query).length === 0;
}

/** Makes the handlers that delete. They send 204, or counts with `feedback.enabled`. */
export function createDocumentRemovals(deps: RemovalDeps): Record<'one' | 'many', RouteHandler> {
  const { config, documents, logger } = deps;
  const context = createContextFactory(deps);
  const counts = config.feedback.enabled;
  const answer = (reply: FastifyReply, { deleted, totalCount }: RemoveResult) => {
    if (!counts) return reply.code(204).send();
    const message = 'Documents deleted successfully';
    return sendJson(reply, { status: 'success', message, deleted, deletedCount: deleted, totalCount });
  };
  return {
    one: async (request, reply) => {
      const options = { ifMatch: parsePreconditions(request), counts };
      const id = documentIdOf(request);
      return answer(reply, await documents.removeById(collectionOf(request), id, context(request), options));
    },
    many: async (request, reply) => {
      rejectPreconditions(request);
      const collection = collectionOf(request);
      const body = jsonBody(request);
      const removed = await documents.removeByQuery(collection, body, context(request), { counts });
      if (matchesEverything(body)) {
        const by = request.client?.clientId ?? null;
        const fields = { requestId: request.id, path: collection.path, by, deleted: removed.deleted };
        logger.warn(fields, 'every document of a collection was deleted');
      }
      return answer(reply, removed);
    },
  };
}

/** Makes the handlers that create and update. */
export function createDocumentWrites(
  deps: Deps,
): Record<'create' | 'updateOne' | 'updateMany', RouteHandler> {
  const { documents } = deps;
  const context = createContextFactory(deps);
  const updateMany: RouteHandler = async (request, reply) => {
    rejectPreconditions(request);
    const options = composeOptions(request);
    const body = jsonBody(request);
    const page = await documents.updateByQuery(collectionOf(request), body, context(request), options);
    return sendText(reply, JSON_TYPE, formatPage(page));
  };
  return {
    create: async (request, reply) => {
      const collection = collectionOf(request);
      const body = jsonBody(request);
      if (isLegacyUpdate(request, body)) {
        assertPermitted(request, collection, 'PUT');
        return updateMany(request, reply);
      }
      rejectPreconditions(request, ['if-match']);
      const { results } = await documents.create(collection, body, context(request), composeOptions(request));
      return sendText(reply, JSON_TYPE, formatResults(results));
    },
    updateOne: async (request, reply) => {
      const options = writeOptions(request);
      const id = documentIdOf(request);
      const body = jsonBody(request);
      const page = await documents.updateById(collectionOf(request), id, body, context(request), options);
      return sendText(reply, JSON_TYPE, formatPage(page));
    },
    updateMany,
  };
}
