// Handlers that read documents. Whether the caller may is decided before they run.
import type { FastifyRequest } from 'fastify';
import type { ReadRequest } from '../../collections/model/read-request.ts';
import { AppError } from '../../errors.ts';
import { collectionOf, documentIdOf } from '../access/collection-access.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { createContextFactory, formatPage, type RouteHandler } from '../core/request-context.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { createReadResponder } from './read-response.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now' | 'store'>;

export interface ReadsOptions {
  readonly cache: ResponseCache | undefined;
  readonly connections: Pick<ConnectionTracker, 'holdDuring'>;
}

/** Makes the handlers. Lists and single documents may also be asked for as calls (JSONP). */
export function createDocumentReads(
  deps: Deps,
  { cache, connections }: ReadsOptions,
): Record<'list' | 'one' | 'count' | 'history' | 'stats', RouteHandler> {
  const { documents, store } = deps;
  const context = createContextFactory(deps);
  const respond = createReadResponder(cache, { jsonp: true, connections });
  const respondPlain = createReadResponder(cache, { jsonp: false, connections });
  const one = async (request: FastifyRequest, read: ReadRequest): Promise<CachedResponse> => {
    const page = await documents.get(collectionOf(request), documentIdOf(request), read, context(request));
    if (page.v !== undefined) return { body: formatPage(page), v: page.v };
    throw new AppError('DOCUMENT_NOT_FOUND', { body: { results: [], metadata: page.metadata } });
  };
  return {
    list: (request, reply) =>
      respond(request, reply, async (read) => ({
        body: formatPage(await documents.list(collectionOf(request), read, context(request))),
      })),
    one: (request, reply) => respond(request, reply, (read) => one(request, read)),
    count: (request, reply) =>
      respondPlain(request, reply, async (read) => ({
        body: JSON.stringify(await documents.count(collectionOf(request), read, context(request))),
      })),
    history: (request, reply) =>
      respondPlain(request, reply, async (read) => ({
        body: formatPage(
          await documents.history(collectionOf(request), documentIdOf(request), read, context(request)),
        ),
      })),
    stats: async (request, reply) => {
      const { deadline } = context(request);
      return sendJson(reply, await store.stats(collectionOf(request).namespace, { deadline }));
    },
  };
}
