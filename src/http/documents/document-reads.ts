// Handlers that read documents, each from query string to response. Access is decided before they run.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/model/collection.ts';
import type { SinglePage } from '../../collections/model/documents.ts';
import { pageJson } from '../../collections/model/page-json.ts';
import type { ReadRequest } from '../../collections/model/read-request.ts';
import { AppError } from '../../errors/errors.ts';
import { collectionOf, documentIdOf } from '../access/collection-access.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { urlPath } from '../core/paths.ts';
import { parseFlag, parseQuery } from '../core/query-string.ts';
import { sendJson } from '../core/reply.ts';
import { createContextFactory } from '../core/request-context.ts';
import type { RouteHandler } from '../core/resource.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { parseReadRequest } from './list-query.ts';
import { parseCallback, sendRead } from './read-response.ts';
import {
  type CachedResponse,
  type CacheLookup,
  lookUpResponse,
  type ResponseCache,
} from './response-cache.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now' | 'store'>;

export interface ReadsOptions {
  readonly cache: ResponseCache | undefined;
  readonly connections: Pick<ConnectionTracker, 'reserveDuring'>;
}

/** A read as the query string asks for it. */
interface ParsedRead {
  readonly collection: Collection;
  readonly parameters: ReadRequest;
  /** The function that a JSONP response calls; undefined: the response is JSON. */
  readonly callback: string | undefined;
  readonly cached: CacheLookup;
}

/** The response for the page of one document. Throws DOCUMENT_NOT_FOUND for an empty one. */
function toDocumentResponse(page: SinglePage): CachedResponse {
  if (page.v !== undefined) return { body: pageJson(page), v: page.v };
  throw new AppError('DOCUMENT_NOT_FOUND', { body: { results: [], metadata: page.metadata } });
}

/** Makes the handlers. Lists and single documents are offered as JSONP too. */
export function createDocumentReads(
  deps: Deps,
  { cache, connections }: ReadsOptions,
): Record<'list' | 'one' | 'count' | 'history' | 'stats', RouteHandler> {
  const { documents, store } = deps;
  const context = createContextFactory(deps);

  const parse = async (
    request: FastifyRequest,
    { jsonp }: { readonly jsonp: boolean },
  ): Promise<ParsedRead> => {
    const collection = collectionOf(request);
    const query = parseQuery(request.originalUrl);
    const callback = jsonp ? parseCallback(query, collection) : undefined;
    const parameters = parseReadRequest(query);
    const key = cache?.cacheKey(collection, urlPath(request.url), query, request.client);
    const cached = await lookUpResponse(cache, key, { bypass: parseFlag(query, 'cache') === false });
    return { collection, parameters, callback, cached };
  };

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { callback, cached, response }: Pick<ParsedRead, 'callback' | 'cached'> & { response: CachedResponse },
  ): Promise<FastifyReply> => {
    if (cached.response === undefined) await cached.store(response);
    reply.headers(cached.headers);
    return sendRead(request, reply, { response, callback, connections });
  };

  return {
    async list(request, reply) {
      const { collection, parameters, ...read } = await parse(request, { jsonp: true });
      const response = read.cached.response ?? {
        body: pageJson(await documents.list(collection, parameters, context(request))),
      };
      return send(request, reply, { ...read, response });
    },
    async one(request, reply) {
      const { collection, parameters, ...read } = await parse(request, { jsonp: true });
      const id = documentIdOf(request);
      const response =
        read.cached.response ??
        toDocumentResponse(await documents.get(collection, id, parameters, context(request)));
      return send(request, reply, { ...read, response });
    },
    async count(request, reply) {
      const { collection, parameters, ...read } = await parse(request, { jsonp: false });
      const response = read.cached.response ?? {
        body: JSON.stringify(await documents.count(collection, parameters, context(request))),
      };
      return send(request, reply, { ...read, response });
    },
    async history(request, reply) {
      const { collection, parameters, ...read } = await parse(request, { jsonp: false });
      const id = documentIdOf(request);
      const response = read.cached.response ?? {
        body: pageJson(await documents.history(collection, id, parameters, context(request))),
      };
      return send(request, reply, { ...read, response });
    },
    async stats(request, reply) {
      const { deadline } = context(request);
      return sendJson(reply, await store.stats(collectionOf(request).namespace, { deadline }));
    },
  };
}
