// Handlers that write documents. Access is decided before they run.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { pageJson, type RemoveResult, type WriteOptions } from '../../collections/model/documents.ts';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import { assertPermitted, collectionOf, documentIdOf } from '../access/collection-access.ts';
import { checkedJsonBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { parsePreconditions, rejectPreconditions } from '../core/preconditions.ts';
import { JSON_TYPE, sendJson, sendText } from '../core/reply.ts';
import { createContextFactory } from '../core/request-context.ts';
import { parseCompose, parseQuery } from '../core/request-url.ts';
import type { RouteHandler } from '../core/resource.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now'>;

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

/** Makes the handlers that delete. They send 204, or counts with `feedback.enabled`. */
export function createDocumentRemovals(deps: Deps): Record<'one' | 'many', RouteHandler> {
  const { config, documents } = deps;
  const context = createContextFactory(deps);
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
      const body = checkedJsonBody(request);
      return answer(
        reply,
        await documents.removeByQuery(collectionOf(request), body, context(request), { countRemaining }),
      );
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
    const body = checkedJsonBody(request);
    const page = await documents.updateByQuery(collectionOf(request), body, context(request), options);
    return sendText(reply, JSON_TYPE, pageJson(page));
  };
  return {
    create: async (request, reply) => {
      const collection = collectionOf(request);
      const body = checkedJsonBody(request);
      if (isLegacyUpdate(request, body.value)) {
        assertPermitted(request, collection, 'PUT');
        return updateMany(request, reply);
      }
      rejectPreconditions(request, ['if-match']);
      const { results } = await documents.create(collection, body, context(request), composeOptions(request));
      return sendText(reply, JSON_TYPE, pageJson({ results }));
    },
    updateOne: async (request, reply) => {
      const options = writeOptions(request);
      const id = documentIdOf(request);
      const body = checkedJsonBody(request);
      const page = await documents.updateById(collectionOf(request), id, body, context(request), options);
      return sendText(reply, JSON_TYPE, pageJson(page));
    },
    updateMany,
  };
}
