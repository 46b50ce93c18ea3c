// Parsers of request bodies, in place of Fastify's: bounded before they parse, strict about types and encodings.

import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify';
import { ERRORS } from '../../errors/error-catalogue.ts';
import { AppError } from '../../errors/errors.ts';
import { parsePairs } from '../../lib/http/parse-pairs.ts';
import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { decodeUtf8, type JsonLimits, parseJsonBody } from './json-body.ts';

type Done = (error: Error | null, body?: unknown) => void;

const MAX_FORM_FIELDS = 20;
const JSON_TYPE = 'application/json';
const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** A form body as an object of texts. Throws BAD_REQUEST, also for a repeated field. */
export function parseFormBody(buffer: Buffer): JsonObject {
  const invalid = () => new AppError('BAD_REQUEST', { message: 'The form repeats a field or has too many' });
  const text = decodeUtf8(buffer);
  // Counted first: the time of `URLSearchParams` grows with the square of the number of pairs.
  if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS) throw invalid();
  const form = new Map<string, string>();
  for (const [name, value] of parsePairs(text)) {
    if (form.has(name)) throw invalid();
    form.set(name, value);
  }
  return Object.fromEntries(form);
}

const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function checkContentCoding({ headers, method }: FastifyRequest): AppError | undefined {
  if (METHODS_WITHOUT_BODY.has(method)) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a Content-Encoding' });
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return undefined;
  return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body as UTF-8' });
}

const rejectContentCoding: preParsingHookHandler = (request, _reply, payload, done) => {
  const error = checkContentCoding(request);
  if (error === undefined) done(null, payload);
  else done(error);
};

function hasEmptyBody({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'] ?? '0';
  return headers['transfer-encoding'] === undefined && Number(length) === 0;
}

function createParser(parse: (buffer: Buffer) => unknown) {
  return (_request: FastifyRequest, body: Buffer, done: Done) => {
    try {
      const parsed = parse(body);
      if (parsed instanceof Promise) parsed.then((value: unknown) => done(null, value), done);
      else done(null, parsed);
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}

const MEDIA_TYPE = /^[\w!#$&^.+-]{1,80}\/[\w!#$&^.+-]{1,80}$/;

/** The error for a body of a type that is not taken: what was sent, and what to send. */
export function unsupportedType({ headers }: Pick<FastifyRequest, 'headers'>, accepted: string): AppError {
  const [type = ''] = (headers['content-type'] ?? '').split(';', 1);
  const named = type.trim();
  const other = MEDIA_TYPE.test(named) ? `\`${named}\`` : 'what is no media type';
  const sent = named === '' ? 'a body without `Content-Type`' : other;
  const { message } = ERRORS.UNSUPPORTED_MEDIA_TYPE;
  return new AppError('UNSUPPORTED_MEDIA_TYPE', {
    message: `${message}: ${sent} was sent, send \`Content-Type: ${accepted}\``,
  });
}

/** Refuses bodies of every type that has no parser of its own. The type of an empty body does not matter. */
function rejectOtherTypes(server: FastifyInstance, accepted: string): void {
  if (server.hasContentTypeParser('*')) server.removeContentTypeParser('*');
  // A body that is refused stays unread.
  server.addContentTypeParser('*', (request, _payload, done) => {
    if (hasEmptyBody(request)) done(null);
    else done(unsupportedType(request, accepted));
  });
}

/** Parses JSON under these types in this scope. */
function parseJsonTypes(server: FastifyInstance, types: readonly string[], bounds: JsonLimits): void {
  for (const type of types) {
    if (server.hasContentTypeParser(type)) server.removeContentTypeParser(type);
    server.addContentTypeParser<Buffer>(
      type,
      { parseAs: 'buffer' },
      createParser((buffer) => parseJsonBody(buffer, bounds)),
    );
  }
}

/**
 * Replaces Fastify's parsers by the one for JSON of at most `maxValues` values (`limits.jsonValues`), and rejects content codings
 * and charsets before the body is read.
 */
export function useJsonParser(server: FastifyInstance, maxValues: number): void {
  server.removeAllContentTypeParsers();
  parseJsonTypes(server, ['application/json'], { maxValues });
  rejectOtherTypes(server, JSON_TYPE);
  // Routes without a body do not run the guard.
  server.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    if (!methods.every((method) => METHODS_WITHOUT_BODY.has(method))) route.preParsing = rejectContentCoding;
  });
}

/** Accepts JSON as `text/plain` too in this scope, as old clients send it. */
export function acceptTextAsJson(server: FastifyInstance, bounds: JsonLimits): void {
  parseJsonTypes(server, ['application/json', 'text/plain'], bounds);
}

/** Accepts URL-encoded forms too in this scope. */
export function acceptUrlEncoded(server: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  server.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, createParser(parseFormBody));
}

/** Accepts only JavaScript in this scope, as text under any of its types. */
export function acceptCodeBodiesOnly(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  const types = ['text/plain', 'text/javascript', 'application/javascript'];
  server.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, createParser(decodeUtf8));
  rejectOtherTypes(server, 'text/plain');
}

/** The parsed body, null when there was none. Its parser has checked it. */
export function jsonBody(request: FastifyRequest): Json {
  return (request.body as Json | undefined) ?? null;
}

/** The parsed body, which must be a JSON object. Throws BAD_REQUEST. */
export function jsonObjectBody(request: FastifyRequest): JsonObject {
  const body = jsonBody(request);
  if (!isJsonObject(body)) throw new AppError('BAD_REQUEST', { message: 'The body must be a JSON object' });
  return body;
}

/** Bytes. A longer body is 413 before it is read, or as soon as it turns out to be longer. */
const MAX_BODY_BYTES = {
  /** The longest id and secret, each character percent-encoded. */
  token: 10_240,
  /** A few members, or nothing. */
  few: 16_384,
  /** A configuration file has at most as many characters. */
  config: 262_144,
  /** A policy has at most 100,000 characters, some of which may be escaped. */
  policy: 262_144,
  /** A thousand grants of collections and of endpoints, with the longest names. */
  client: 1_048_576,
  /** A thousand fields. */
  specification: 1_048_576,
  /** A route of a thousand branches. */
  definition: 1_048_576,
} as const;

/** The limit of a family, at most `jsonBytes` (`limits.jsonBytes`). */
export function bodyLimit(of: keyof typeof MAX_BODY_BYTES, jsonBytes: number): number {
  return Math.min(MAX_BODY_BYTES[of], jsonBytes);
}
