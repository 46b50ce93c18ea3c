// Handlers that read documents. Whether the caller may is decided before they run.
import type { FastifyRequest } from 'fastify';
import type { ReadRequest } from '../collections/documents.ts';
import { AppError } from '../errors.ts';
import { collectionOf, idOf } from './collection-scope.ts';
import type { Connections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import { createContext, type Handle, pageText } from './document-answers.ts';
import { createReadResponder } from './read-response.ts';
import { sendValue } from './reply.ts';
import type { Representation, ResponseCache } from './response-cache.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now' | 'store'>;

export interface ReadsOptions {
  readonly cache: ResponseCache | undefined;
  readonly connections: Pick<Connections, 'holdDuring'>;
}

/** Makes the handlers. Lists and single documents may also be asked for as calls (JSONP). */
export function createDocumentReads(
  deps: Deps,
  { cache, connections }: ReadsOptions,
): Record<'list' | 'one' | 'count' | 'history' | 'stats', Handle> {
  const { documents, store } = deps;
  const context = createContext(deps);
  const respond = createReadResponder(cache, { jsonp: true, connections });
  const respondPlain = createReadResponder(cache, { jsonp: false, connections });
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
