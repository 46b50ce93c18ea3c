// Sends the response to a read: as JSON or JSONP, with an ETag, or 304 when the client has it already.
// The ETag of a document starts with its `v`, so that any of them can serve as a precondition of a write.
import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Collection } from '../../collections/model/collection.ts';
import { createParameterError } from '../../collections/model/read-parameters.ts';
import { andThen, forEachYielding, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import { type ChunkedText, MAX_JOINED_LENGTH, textChunks, textLength } from '../../lib/chunked-text.ts';
import { matchesIfNoneMatch } from '../../lib/http/conditional.ts';
import { JAVASCRIPT_TYPE, JSON_TYPE, sendText } from '../core/reply.ts';
import type { Query } from '../core/request-url.ts';
import type { ConnectionTracker } from '../transport/connection-tracker.ts';
import type { CachedResponse } from './response-cache.ts';

const CALLBACK_NAME = /^[a-zA-Z]{1,100}$/;

/** The function to call: the request's, else the collection's, else none. Throws PARAMETER_INVALID for a bad name. */
export function parseCallback(query: Query, collection: Collection): string | undefined {
  const name = query.get('callback') ?? collection.settings.callback ?? undefined;
  if (name === undefined || CALLBACK_NAME.test(name)) return name;
  throw createParameterError('callback', 'The `callback` parameter must consist of at most 100 letters');
}

const escapeSeparators = (json: string) =>
  json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');

/** JSON text as a JavaScript call. Line separators are escaped: older engines end a string at them. */
export function wrapJsonp(name: string, json: ChunkedText): MaybePromise<ChunkedText> {
  if (typeof json === 'string') return `${name}(${escapeSeparators(json)});`;
  return andThen(mapYielding(json, escapeSeparators), (pieces) => [`${name}(`, ...pieces, ');']);
}

const formatEtag = (state: string, checksum: number) => `"${state}-${checksum.toString(36)}"`;
/** The letter keeps the ETag of a page from looking like that of a document. */
const pageState = (length: number) => `l${length.toString(36)}`;

/** ETag of a page of documents: its length and checksum. */
export function listEtag(body: string): string {
  return formatEtag(pageState(body.length), crc32(body));
}

/** ETag of one representation of a document in state `v`. The checksum tells apart the representations of one state. */
export function documentEtag(v: number, body: string): string {
  return formatEtag(String(v), crc32(body));
}

/** The same ETags for a long body, computed without blocking the event loop, and its length in bytes. `v`: of a document. */
export async function computeLongEtag(
  body: ChunkedText,
  v?: number,
): Promise<{ readonly etag: string; readonly bytes: number }> {
  let checksum = 0;
  let bytes = 0;
  await forEachYielding(textChunks(body), (slice) => {
    const chunk = Buffer.from(slice);
    bytes += chunk.length;
    checksum = crc32(chunk, checksum);
  });
  const state = v === undefined ? pageState(textLength(body)) : String(v);
  return { etag: formatEtag(state, checksum), bytes };
}

type Reserve = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

/** The ETag of a response, and its length in bytes where that had to be counted. */
function computeEtag(
  { body, v }: CachedResponse,
  reserve: Reserve,
): MaybePromise<{ readonly etag: string; readonly bytes?: number }> {
  if (typeof body === 'string' && body.length <= MAX_JOINED_LENGTH) {
    return { etag: v === undefined ? listEtag(body) : documentEtag(v, body) };
  }
  // The event loop turns meanwhile, and other long responses come: each counts from now on.
  return reserve(textLength(body), () => computeLongEtag(body, v));
}

interface SendReadOptions {
  readonly response: CachedResponse;
  /** The function that a JSONP response calls; undefined: the response is JSON. */
  readonly callback: string | undefined;
  readonly connections: Pick<ConnectionTracker, 'reserveDuring'>;
}

/** Sends the response, or 304. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, callback, connections }: SendReadOptions,
): MaybePromise<void> {
  const reserve: Reserve = (bytes, work) => connections.reserveDuring(request.raw.socket, bytes, work);
  const wrapping = callback === undefined ? response.body : wrapJsonp(callback, response.body);
  return andThen(wrapping, (body) =>
    andThen(computeEtag({ body, v: response.v }, reserve), ({ etag, bytes }) => {
      reply.header('etag', etag);
      const known = request.headers['if-none-match'];
      if (known !== undefined && matchesIfNoneMatch(known, etag)) {
        reply.code(304).send();
        return;
      }
      if (bytes !== undefined) reply.header('content-length', bytes);
      sendText(reply, callback === undefined ? JSON_TYPE : JAVASCRIPT_TYPE, body);
    }),
  );
}
