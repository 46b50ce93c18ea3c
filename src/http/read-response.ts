// Answers to reads: looked up or computed, tagged, wrapped for JSONP, or not sent at all because the client has them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadRequest } from '../collections/documents.ts';
import { LONG_TEXT, lengthOf } from '../lib/text-pieces.ts';
import { collectionOf } from './collection-scope.ts';
import type { Connections } from './connections.ts';
import { pathIn } from './endpoint-address.ts';
import { documentTag, listTag, longTag, noneMatch } from './etag.ts';
import { callbackName, wrapCallback } from './jsonp.ts';
import { readRequest } from './list-query.ts';
import { flag, parseQuery, type Query } from './query-string.ts';
import { JSON_TYPE, SCRIPT_TYPE, sendText } from './reply.ts';
import type { Representation, ResponseCache } from './response-cache.ts';

export type Produce = (read: ReadRequest) => Promise<Representation>;

interface Lookup {
  readonly representation: Representation;
  readonly headers: Readonly<Record<string, string>>;
}

interface ResponderOptions {
  /** Whether the answer may be asked for as a call. */
  readonly jsonp: boolean;
  readonly connections: Pick<Connections, 'holdDuring'>;
}

interface Answer extends Representation {
  readonly type: string;
}

const NO_HEADERS = {};

async function lookUp(
  cache: ResponseCache | undefined,
  key: string | undefined,
  options: { readonly bypass: boolean; readonly compute: () => Promise<Representation> },
): Promise<Lookup> {
  if (cache === undefined || key === undefined) {
    return { representation: await options.compute(), headers: NO_HEADERS };
  }
  const stored = await cache.read(key);
  if (stored !== undefined && !options.bypass) {
    return { representation: stored, headers: { 'X-Cache': 'HIT', 'X-Cache-Lookup': 'HIT' } };
  }
  const representation = await options.compute();
  if (stored === undefined) await cache.write(key, representation);
  const lookup = stored === undefined ? 'MISS' : 'HIT';
  return { representation, headers: { 'X-Cache': 'MISS', 'X-Cache-Lookup': lookup } };
}

/** Tag of an answer, and its length in bytes where that had to be counted. */
async function tagOf(
  { body, v }: Representation,
  hold: <T>(bytes: number, work: () => Promise<T>) => Promise<T>,
): Promise<{ readonly tag: string; readonly bytes?: number }> {
  if (typeof body === 'string' && body.length <= LONG_TEXT) {
    return { tag: v === undefined ? listTag(body) : documentTag(v, body) };
  }
  // Tagging takes several turns, in which other long answers come: each counts from now on.
  return hold(lengthOf(body), () => longTag(body, v));
}

interface SendDeps extends Pick<ResponderOptions, 'connections'> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends an answer of this content type, or 304 when the client has it already. */
async function send({ request, reply, connections }: SendDeps, answer: Answer): Promise<FastifyReply> {
  const { socket } = request.raw;
  const { tag, bytes } = await tagOf(answer, (length, work) => connections.holdDuring(socket, length, work));
  reply.header('etag', tag);
  if (noneMatch(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (bytes !== undefined) reply.header('content-length', bytes);
  return sendText(reply, answer.type, answer.body);
}

/** Makes the function that answers a read of a collection with what `produce` computes. */
export function createReadResponder(
  cache: ResponseCache | undefined,
  { jsonp, connections }: ResponderOptions,
) {
  return async (request: FastifyRequest, reply: FastifyReply, produce: Produce): Promise<FastifyReply> => {
    const collection = collectionOf(request);
    const query: Query = parseQuery(request.originalUrl);
    const callback = jsonp ? callbackName(query, collection) : undefined;
    const read = readRequest(query);
    const key = cache?.keyOf(collection, pathIn(request.url), query, request.client);
    const bypass = flag(query, 'cache') === false;
    const { representation, headers } = await lookUp(cache, key, { bypass, compute: () => produce(read) });
    reply.headers(headers);
    const { body, v } = representation;
    const to = { request, reply, connections };
    if (callback === undefined) return send(to, { body, v, type: JSON_TYPE });
    return send(to, { body: await wrapCallback(callback, body), v, type: SCRIPT_TYPE });
  };
}
