// Handlers that read documents, each from query string to response, and the parsers of read parameters. Access is decided before.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/model/collection.ts';
import { type RequestContext, readPageJson, type SinglePage } from '../../collections/model/documents.ts';
import {
  buildReadRequest,
  createParameterError,
  MAX_READ_NUMBER,
  parseComposeDepth,
  type ReadParameterKind,
  type ReadQueryParameter,
  type ReadRequest,
} from '../../collections/model/read-parameters.ts';
import { AppError } from '../../errors/errors.ts';
import { andThen, type MaybePromise } from '../../lib/async/maybe-promise.ts';
import { findInexactInteger } from '../../lib/json/inexact-integers.ts';
import {
  findJsonIssue,
  isJsonObject,
  type Json,
  type JsonIssue,
  type JsonObject,
} from '../../lib/json/json.ts';
import { collectionOf, documentIdOf } from '../access/request-access.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { createContextFactory } from '../core/request-context.ts';
import { parseFlag, type Query, urlPath } from '../core/request-url.ts';
import type { RouteHandler } from '../core/resource.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { createPageEtags, parseCallback, sendRead } from './read-response.ts';
import { type CachedResponse, type ResponseCache, readThroughCache } from './response-cache.ts';

type Deps = Pick<HttpDeps, 'config' | 'documents' | 'now' | 'store'>;

export interface ReadsOptions {
  readonly cache: ResponseCache | undefined;
  readonly connections: Pick<ConnectionTracker, 'reserveDuring'>;
  /** Parses query strings: the same text to the same object. */
  readonly parse: (url: string) => Query;
}

/** Answers at once where nothing has to be waited for. */
type ReadHandler = (request: FastifyRequest, reply: FastifyReply) => void;

/** What is to be read. */
interface Read {
  readonly collection: Collection;
  readonly parameters: ReadRequest;
  readonly context: RequestContext;
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
  // The same query gives the same object, with which the document service remembers what it made of it.
  const readRequests = new WeakMap<Query, ReadRequest>();

  const parametersOf = (query: Query): ReadRequest => {
    const known = readRequests.get(query);
    if (known !== undefined) return known;
    const parameters = parseReadRequest(query);
    readRequests.set(query, parameters);
    return parameters;
  };

  /** Answers a read: parse, look up in the cache, else find, then send. */
  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    { jsonp, find }: { readonly jsonp: boolean; readonly find: (read: Read) => MaybePromise<CachedResponse> },
  ): void => {
    const collection = collectionOf(request);
    const query = parse(request.originalUrl);
    const callback = jsonp ? parseCallback(query, collection) : undefined;
    const parameters = parametersOf(query);
    const key = cache?.cacheKey(collection, urlPath(request.url), query, request.client);
    const compute = () => find({ collection, parameters, context: createContext(request) });
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
      const find = ({ collection, parameters, context }: Read) =>
        andThen(documents.list(collection, parameters, context), (page) => ({ body: readPageJson(page) }));
      answer(request, reply, { jsonp: true, find });
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
      answer(request, reply, { jsonp: false, find });
    },
    history(request, reply) {
      const id = documentIdOf(request);
      const find = ({ collection, parameters, context }: Read) =>
        andThen(documents.history(collection, id, parameters, context), (page) => ({
          body: readPageJson(page),
        }));
      answer(request, reply, { jsonp: false, find });
    },
    async stats(request, reply) {
      const { deadline } = createContext(request);
      return sendJson(reply, await store.stats(collectionOf(request).namespace, { deadline }));
    },
  };
}

const NUMBER = /^[+-]?\d+(\.\d*)?$/;
const EMPTY_REQUEST: ReadRequest = {};
const DIRECTIONS: ReadonlyMap<string, 1 | -1> = new Map([
  ['asc', 1],
  ['1', 1],
  ['desc', -1],
  ['-1', -1],
]);

function parseNumber(name: ReadQueryParameter, text: string): number {
  // The wording of `skip` is the one that clients of the older dialect know.
  const verb = name === 'skip' ? 'must' : 'must be';
  if (!NUMBER.test(text)) throw createParameterError(name, `The \`${name}\` parameter ${verb} a number`);
  if (Number(text) < 0) {
    const minimum = name === 'page' ? 'greater than zero' : 'greater than or equal to zero';
    throw createParameterError(name, `The \`${name}\` parameter must be ${minimum}`);
  }
  return Math.min(Math.abs(Math.trunc(Number(text))), MAX_READ_NUMBER);
}

const MAX_SHOWN_CHARACTERS = 200;

function createValueError(name: ReadQueryParameter, { path, message }: JsonIssue): AppError {
  const shown = path.slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return createParameterError(name, `\`${shown}\` in the \`${name}\` parameter ${message}`);
}

function parseObject(name: ReadQueryParameter, text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createParameterError(name, `The \`${name}\` parameter must be valid JSON`);
  }
  if (Array.isArray(value) && name === 'filter') {
    throw createParameterError(
      name,
      'Aggregation pipelines are not supported: `filter` must be a JSON object',
    );
  }
  if (!isJsonObject(value)) {
    throw createParameterError(name, `The \`${name}\` parameter must be a JSON object`);
  }
  const issue = findJsonIssue(value, () => findInexactInteger(text));
  if (issue !== undefined) throw createValueError(name, issue);
  return value;
}

function parseDirection(name: ReadQueryParameter, text: string): 1 | -1 {
  const direction = DIRECTIONS.get(text);
  if (direction !== undefined) return direction;
  throw createParameterError(name, `The \`${name}\` parameter must be \`asc\`, \`desc\`, \`1\` or \`-1\``);
}

const PARSERS: Readonly<Record<ReadParameterKind, (name: ReadQueryParameter, text: string) => Json>> = {
  object: parseObject,
  number: parseNumber,
  sort: (name, text) => (text.trimStart().startsWith('{') ? parseObject(name, text) : text),
  direction: parseDirection,
  depth: (_name, text) => parseComposeDepth(text),
  flag: (_name, text) => text === 'true',
};

/** Parses the parameters of a list, count, by-id or history request. Throws PARAMETER_INVALID. */
export function parseReadRequest(query: Query): ReadRequest {
  if (query.size === 0) return EMPTY_REQUEST;
  return buildReadRequest(({ query: name, kind }) => {
    const text = query.get(name);
    return text === undefined ? undefined : PARSERS[kind](name, text);
  });
}
