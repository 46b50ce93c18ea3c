// Sends the response to a read: as JSON or JSONP, with an ETag, or 304 when the client has it already.
// The ETag of a document starts with its `v`, so that any of them can serve as a precondition of a write.
import { createHash, hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Collection } from '../../collections/model/collection.ts';
import { createParameterError } from '../../collections/model/read-parameters.ts';
import { andThen, createYielder, type MaybePromise, mapYielding } from '../../lib/async/maybe-promise.ts';
import {
  type ChunkedText,
  LONG_TEXT_COST,
  MAX_JOINED_LENGTH,
  textChunks,
  textLength,
} from '../../lib/chunked-text.ts';
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

/** Characters of a checksum in ETags: 132 bits. Nobody finds two texts with the same ones, also who may choose both. */
const CHECKSUM_LENGTH = 22;

const formatEtag = (state: string, checksum: string) => `"${state}-${checksum.slice(0, CHECKSUM_LENGTH)}"`;
const checksumOf = (body: string) => hash('sha256', body, 'base64url');
/** The letter keeps the ETag of a page from looking like that of a document. */
const pageState = (length: number) => `l${length.toString(36)}`;

/** ETag of a page of documents: its length and checksum. */
export function listEtag(body: string): string {
  return formatEtag(pageState(body.length), checksumOf(body));
}

/** ETag of one representation of a document in state `v`. The checksum tells apart the representations of one state. */
export function documentEtag(v: number, body: string): string {
  return formatEtag(String(v), checksumOf(body));
}

/** The checksum of a long body for its ETag, computed without blocking the event loop, and its length in bytes. */
export async function computeLongChecksum(
  body: ChunkedText,
): Promise<{ readonly checksum: string; readonly bytes: number }> {
  const checksum = createHash('sha256');
  let bytes = 0;
  const yieldIfDue = createYielder();
  for (const slice of textChunks(body)) {
    const chunk = Buffer.from(slice);
    bytes += chunk.length;
    checksum.update(chunk);
    await yieldIfDue();
  }
  return { checksum: checksum.digest('base64url').slice(0, CHECKSUM_LENGTH), bytes };
}

/** The same ETags for a long body, and its length in bytes. `v`: of a document. */
export async function computeLongEtag(
  body: ChunkedText,
  v?: number,
): Promise<{ readonly etag: string; readonly bytes: number }> {
  const { checksum, bytes } = await computeLongChecksum(body);
  return { etag: formatEtag(v === undefined ? pageState(textLength(body)) : String(v), checksum), bytes };
}

/** Characters from which on a page is compared with the last one of its URL: the checksum of a shorter one costs no more. */
const MIN_COMPARED_LENGTH = 4096;
const MAX_REMEMBERED_LENGTH = 4 * 1024 * 1024;
const MAX_REMEMBERED_PAGES = 1000;

interface RememberedPage {
  readonly etag: string;
  /** Undefined until the page was the same twice: pages that are read once are not kept in memory. */
  readonly body: string | undefined;
}

/** Gives the ETag of a page under a URL. */
export type PageEtags = (url: string, body: string) => string;

/**
 * Makes the function that computes the ETags of pages. It remembers the last page of each URL, up to 4 million characters
 * of 1,000 URLs: to compare a page with it takes less time than its checksum.
 */
export function createPageEtags(): PageEtags {
  const pages = new LRUCache<string, RememberedPage>({
    max: MAX_REMEMBERED_PAGES,
    maxSize: MAX_REMEMBERED_LENGTH,
    sizeCalculation: ({ body = '' }, url) => url.length + body.length + 1,
  });
  return (url, body) => {
    if (body.length < MIN_COMPARED_LENGTH) return listEtag(body);
    const known = pages.get(url);
    if (known?.body === body) return known.etag;
    const etag = listEtag(body);
    pages.set(url, { etag, body: known?.etag === etag ? body : undefined });
    return etag;
  };
}

type Reserve = <T>(bytes: number, work: () => Promise<T>) => Promise<T>;

interface EtagOptions {
  readonly url: string;
  readonly pageEtags: PageEtags;
  readonly reserve: Reserve;
}

/** The ETag of a response, and its length in bytes where that had to be counted. */
function computeEtag(
  { body, v }: CachedResponse,
  { url, pageEtags, reserve }: EtagOptions,
): MaybePromise<{ readonly etag: string; readonly bytes?: number }> {
  if (typeof body === 'string' && body.length <= MAX_JOINED_LENGTH) {
    return { etag: v === undefined ? pageEtags(url, body) : documentEtag(v, body) };
  }
  // The event loop turns meanwhile, and other long responses come: each counts from now on.
  return reserve(textLength(body) * LONG_TEXT_COST, () => computeLongEtag(body, v));
}

interface SendReadOptions {
  readonly response: CachedResponse;
  /** The function that a JSONP response calls; undefined: the response is JSON. */
  readonly callback: string | undefined;
  readonly pageEtags: PageEtags;
  readonly connections: Pick<ConnectionTracker, 'reserveDuring'>;
}

/** Sends the response, or 304. */
export function sendRead(
  request: FastifyRequest,
  reply: FastifyReply,
  { response, callback, pageEtags, connections }: SendReadOptions,
): MaybePromise<void> {
  const { originalUrl: url } = request;
  const reserve: Reserve = (bytes, work) => connections.reserveDuring(request.raw.socket, bytes, work);
  const wrapping = callback === undefined ? response.body : wrapJsonp(callback, response.body);
  return andThen(wrapping, (body) =>
    andThen(computeEtag({ body, v: response.v }, { url, pageEtags, reserve }), ({ etag, bytes }) => {
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
