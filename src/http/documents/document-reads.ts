// Handlers that read documents, each from query string to response. Access is decided before.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { assertReadsAll } from '../../collections/model/access.ts';
import { type Collection, hasReadHooks } from '../../collections/model/collection.ts';
import type { ReadPage, RequestContext, SinglePage } from '../../collections/model/documents.ts';
import { readPageJson } from '../../collections/model/page-json.ts';
import type { ReadRequest } from '../../collections/model/read-parameters.ts';
import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { assertPermitted, collectionOf, documentIdOf } from '../core/request-access.ts';
import { createContextFactory } from '../core/request-context.ts';
import { parseFlag, urlPath } from '../core/request-url.ts';
import type { RouteHandler } from '../core/resource.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { createParameterLog, type ParseReadQuery, parameterWarning } from './read-query.ts';
import { createPageEtags, parseCallback, sendRead } from './read-response.ts';
import { type CachedResponse, type ResponseCache, readThroughCache } from './response-cache.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'logger' | 'now' | 'store'>;

export interface ReadsOptions {
  readonly cache: ResponseCache | undefined;
  readonly connections: Pick<ConnectionTracker, 'reserveDuring'>;
  readonly parse: ParseReadQuery;
}

/** Answers at once where nothing has to be waited for. */
type ReadHandler = (request: FastifyRequest, reply: FastifyReply) => void;

/** What is to be read. */
interface Read {
  readonly collection: Collection;
  readonly parameters: ReadRequest;
  readonly context: RequestContext;
  /** Names of parameters that have no effect. */
  readonly unknown: readonly string[];
}

interface AnswerOptions {
  /** Offered as JSONP too. */
  readonly jsonp?: boolean;
  /** The response names parameters that have no effect. */
  readonly namesUnknown?: boolean;
  readonly find: (read: Read) => MaybePromise<CachedResponse>;
}

const NONE: readonly string[] = [];

/** The page with a warning for each parameter that has no effect. Hooks have run. */
function withWarnings(page: ReadPage, unknown: readonly string[]): ReadPage {
  if (unknown.length === 0) return page;
  const { warnings, ...metadata } = page.metadata;
  // What a hook returned may be anything.
  const others = Array.isArray(warnings) ? warnings : NONE;
  return { ...page, metadata: { ...metadata, warnings: [...unknown.map(parameterWarning), ...others] } };
}

/** The response for the page of one document. Throws DOCUMENT_NOT_FOUND for an empty one. */
function toDocumentResponse(page: SinglePage): CachedResponse {
  if (page.v !== undefined) return { body: readPageJson(page), v: page.v };
  throw new AppError('DOCUMENT_NOT_FOUND', { body: { results: [], metadata: page.metadata } });
}

/** Makes the handlers. Lists and single documents are offered as JSONP too. */
export function createDocumentReads(
  deps: Deps,
  { cache, connections, parse }: ReadsOptions,
): Record<'list' | 'one' | 'count' | 'history', ReadHandler> & { readonly stats: RouteHandler } {
  const { documents, store } = deps;
  const createContext = createContextFactory(deps);
  const pageEtags = createPageEtags();
  const logUnknown = createParameterLog(deps.logger);

  /** Answers a read: parse, look up in the cache, else find, then send. */
  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    { jsonp = false, namesUnknown = false, find }: AnswerOptions,
  ): void => {
    const collection = collectionOf(request);
    const { query, unknown, readRequest } = parse(request.originalUrl);
    // Hooks are handed the whole query string: what they read has an effect.
    const named = namesUnknown && !hasReadHooks(collection) ? unknown : NONE;
    logUnknown(named);
    const callback = jsonp ? parseCallback(query, collection) : undefined;
    const parameters = readRequest();
    const key = cache?.cacheKey(collection, { path: urlPath(request.url), query, named }, request.caller);
    const compute = () => find({ collection, parameters, unknown: named, context: createContext(request) });
    const send = (response: CachedResponse) =>
      sendRead(request, reply, { response, callback, pageEtags, connections });
    const answering =
      cache === undefined || key === undefined
        ? andThen(compute(), send)
        : readThroughCache(cache, key, { bypass: parseFlag(query, 'cache') === false, compute }).then(
            ({ response, headers }) => {
              reply.headers(headers);
              return send(response);
            },
          );
    if (answering instanceof Promise) answering.catch((error) => reply.send(error));
  };

  return {
    list(request, reply) {
      const find = ({ collection, parameters, context, unknown }: Read) =>
        andThen(documents.list(collection, parameters, context), (page) => ({
          body: readPageJson(withWarnings(page, unknown)),
        }));
      answer(request, reply, { jsonp: true, namesUnknown: true, find });
    },
    one(request, reply) {
      const id = documentIdOf(request);
      const find = ({ collection, parameters, context }: Read) =>
        andThen(documents.get(collection, id, parameters, context), toDocumentResponse);
      answer(request, reply, { jsonp: true, find });
    },
    count(request, reply) {
      const find = ({ collection, parameters, context }: Read) =>
        andThen(documents.count(collection, parameters, context), (count) => ({
          body: JSON.stringify(count),
        }));
      answer(request, reply, { find });
    },
    history(request, reply) {
      assertPermitted(request, collectionOf(request), 'history');
      const id = documentIdOf(request);
      const find = ({ collection, parameters, context }: Read) =>
        andThen(documents.history(collection, id, parameters, context), (page) => ({
          body: readPageJson(page),
        }));
      answer(request, reply, { find });
    },
    async stats(request, reply) {
      const { caller, deadline } = createContext(request);
      const collection = collectionOf(request);
      assertReadsAll(caller.access(collection), caller);
      return sendJson(reply, await store.stats(collection.namespace, { deadline }));
    },
  };
}
