// Answers to reads: looked up or computed, tagged, wrapped for JSONP, or not sent at all because the client has them.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadRequest } from '../../collections/model/read-request.ts';
import { MAX_JOINED_LENGTH, textLength } from '../../lib/chunked-text.ts';
import { collectionOf } from '../access/collection-access.ts';
import { parseFlag, parseQuery, type Query } from '../core/query-string.ts';
import { JAVASCRIPT_TYPE, JSON_TYPE, sendText } from '../core/reply.ts';
import { urlPath } from '../modules/endpoint-url-rewrite.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import { computeLongEtag, documentEtag, listEtag, matchesIfNoneMatch } from './etag.ts';
import { parseCallback, wrapJsonp } from './jsonp.ts';
import { parseReadRequest } from './list-query.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

export type ComputeResponse = (read: ReadRequest) => Promise<CachedResponse>;

interface Lookup {
  readonly representation: CachedResponse;
  readonly headers: Readonly<Record<string, string>>;
}

interface ResponderOptions {
  /** Whether the answer may be asked for as a call. */
  readonly jsonp: boolean;
  readonly connections: Pick<ConnectionTracker, 'holdDuring'>;
}

interface Answer extends CachedResponse {
  readonly type: string;
}

const NO_HEADERS = {};

async function readThroughCache(
  cache: ResponseCache | undefined,
  key: string | undefined,
  options: { readonly bypass: boolean; readonly compute: () => Promise<CachedResponse> },
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
async function computeEtag(
  { body, v }: CachedResponse,
  hold: <T>(bytes: number, work: () => Promise<T>) => Promise<T>,
): Promise<{ readonly tag: string; readonly bytes?: number }> {
  if (typeof body === 'string' && body.length <= MAX_JOINED_LENGTH) {
    return { tag: v === undefined ? listEtag(body) : documentEtag(v, body) };
  }
  // Tagging takes several turns, in which other long answers come: each counts from now on.
  return hold(textLength(body), () => computeLongEtag(body, v));
}

interface SendDeps extends Pick<ResponderOptions, 'connections'> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Sends an answer of this content type, or 304 when the client has it already. */
async function sendTagged({ request, reply, connections }: SendDeps, answer: Answer): Promise<FastifyReply> {
  const { socket } = request.raw;
  const { tag, bytes } = await computeEtag(answer, (length, work) =>
    connections.holdDuring(socket, length, work),
  );
  reply.header('etag', tag);
  if (matchesIfNoneMatch(request.headers['if-none-match'], tag)) return reply.code(304).send();
  if (bytes !== undefined) reply.header('content-length', bytes);
  return sendText(reply, answer.type, answer.body);
}

/** Makes the function that answers a read of a collection with what `produce` computes. */
export function createReadResponder(
  cache: ResponseCache | undefined,
  { jsonp, connections }: ResponderOptions,
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    produce: ComputeResponse,
  ): Promise<FastifyReply> => {
    const collection = collectionOf(request);
    const query: Query = parseQuery(request.originalUrl);
    const callback = jsonp ? parseCallback(query, collection) : undefined;
    const read = parseReadRequest(query);
    const key = cache?.cacheKey(collection, urlPath(request.url), query, request.client);
    const bypass = parseFlag(query, 'cache') === false;
    const { representation, headers } = await readThroughCache(cache, key, {
      bypass,
      compute: () => produce(read),
    });
    reply.headers(headers);
    const { body, v } = representation;
    const to = { request, reply, connections };
    if (callback === undefined) return sendTagged(to, { body, v, type: JSON_TYPE });
    return sendTagged(to, { body: await wrapJsonp(callback, body), v, type: JAVASCRIPT_TYPE });
  };
}
