// Request bodies: our own parsers in place of the framework's, so that nothing hostile passes them.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { checkJson, MAX_JSON_DEPTH, nestsDeeper } from '../lib/json-check.ts';

type Done = (error: Error | null, body?: unknown) => void;

const FORM_FIELDS_MOST = 20;
/** Parsing millions of levels takes seconds. Up to here it is cheap, and the error can tell where the culprit is. */
const ABSURD_DEPTH = 10 * MAX_JSON_DEPTH;
const CHARSET = /;\s*charset="?([^";\s]+)/i;

function text(buffer: Buffer): string {
  if (!isUtf8(buffer)) throw new AppError('BAD_REQUEST', { message: 'The body is not valid UTF-8' });
  return buffer.toString('utf8');
}

/** JSON bytes as a checked value; undefined for an empty body. Throws BAD_REQUEST. */
export function parseJson(buffer: Buffer): Json | undefined {
  if (buffer.length === 0) return undefined;
  if (nestsDeeper(buffer, ABSURD_DEPTH)) {
    throw new AppError('BAD_REQUEST', { message: `The body is nested deeper than ${MAX_JSON_DEPTH} levels` });
  }
  let value: Json;
  try {
    value = JSON.parse(text(buffer));
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError('BAD_REQUEST', { message: 'The body is not valid JSON', cause });
  }
  const fault = checkJson(value);
  if (fault === undefined) return value;
  throw new AppError('BAD_REQUEST', { field: fault.path, message: `\`${fault.path}\` ${fault.message}` });
}

/** A form body as an object of texts. A field that is given twice is refused. Throws BAD_REQUEST. */
export function parseForm(buffer: Buffer): JsonObject {
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text(buffer))) {
    if (form.has(name) || form.size === FORM_FIELDS_MOST) {
      throw new AppError('BAD_REQUEST', { message: 'The form repeats a field or has too many' });
    }
    form.set(name, value);
  }
  return Object.fromEntries(form);
}

const WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

function refuseCoding({ headers, method }: FastifyRequest): AppError | undefined {
  if (WITHOUT_BODY.has(method)) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body without a Content-Encoding' });
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (/^utf-?8$/i.test(charset)) return undefined;
  return new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send the body as UTF-8' });
}

function isEmpty({ headers }: FastifyRequest): boolean {
  const length = headers['content-length'] ?? '0';
  return headers['transfer-encoding'] === undefined && Number(length) === 0;
}

function parser(parse: (buffer: Buffer) => unknown) {
  return (_request: FastifyRequest, body: Buffer, done: Done) => {
    try {
      done(null, parse(body));
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}

/** Replaces the framework's parsers by the one for JSON, and refuses other codings before the body is read. */
export function acceptJson(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, parser(parseJson));
  // Whatever type an empty body claims is no matter; any other body of a type that nobody takes stays unread.
  server.addContentTypeParser('*', (request, _payload, done) => {
    if (isEmpty(request)) done(null);
    else done(new AppError('UNSUPPORTED_MEDIA_TYPE'));
  });
  server.addHook('preParsing', (request, _reply, payload, done) => {
    const refusal = refuseCoding(request);
    if (refusal === undefined) done(null, payload);
    else done(refusal);
  });
}

/** In this scope JSON may also come under `text/plain`, as old clients send it. */
export function acceptPlainJson(server: FastifyInstance): void {
  server.addContentTypeParser<Buffer>('text/plain', { parseAs: 'buffer' }, parser(parseJson));
}

/** In this scope forms are accepted too. */
export function acceptForm(server: FastifyInstance): void {
  const type = 'application/x-www-form-urlencoded';
  server.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, parser(parseForm));
}

/** In this scope nothing but JavaScript is accepted, as text under any of its types. */
export function acceptCode(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  const types = ['text/plain', 'text/javascript', 'application/javascript'];
  server.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, parser(text));
  // What clients send when nobody told them otherwise: they are told.
  const usual = ['application/json', 'application/x-www-form-urlencoded'];
  server.addContentTypeParser(usual, (_request, _payload, done) => {
    done(new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'Send code with `Content-Type: text/plain`' }));
  });
}

/** The parsed body, null when there was none. */
export function bodyOf(request: FastifyRequest): Json {
  return (request.body as Json | undefined) ?? null;
}

/** The parsed body, which must be a JSON object. Throws BAD_REQUEST. */
export function objectBody(request: FastifyRequest): JsonObject {
  const body = bodyOf(request);
  if (!isJsonObject(body)) throw new AppError('BAD_REQUEST', { message: 'The body must be a JSON object' });
  return body;
}
