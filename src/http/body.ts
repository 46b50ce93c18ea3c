// Request bodies: our own parsers in place of the framework's, so that nothing hostile passes them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../lib/json.ts';
import { type JsonBounds, readJson, utf8 } from './json-body.ts';

type Done = (error: Error | null, body?: unknown) => void;

const FORM_FIELDS_MOST = 20;
const CHARSET = /;\s*charset="?([^";\s]+)/i;

/** A form body as an object of texts. A field that is given twice is refused. Throws BAD_REQUEST. */
export function parseForm(buffer: Buffer): JsonObject {
  const refusal = () => new AppError('BAD_REQUEST', { message: 'The form repeats a field or has too many' });
  const text = utf8(buffer);
  // Counted first: what the platform's parser takes grows with the square of the number of pairs.
  if (text.split('&', FORM_FIELDS_MOST + 1).length > FORM_FIELDS_MOST) throw refusal();
  const form = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (form.has(name)) throw refusal();
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
      const parsed = parse(body);
      if (parsed instanceof Promise) parsed.then((value: unknown) => done(null, value), done);
      else done(null, parsed);
    } catch (error) {
      done(error instanceof Error ? error : new Error('unknown'));
    }
  };
}

/** In this scope JSON comes under these types, within these bounds. */
function acceptJsonAs(server: FastifyInstance, types: readonly string[], bounds: JsonBounds): void {
  for (const type of types) {
    if (server.hasContentTypeParser(type)) server.removeContentTypeParser(type);
    server.addContentTypeParser<Buffer>(
      type,
      { parseAs: 'buffer' },
      parser((buffer) => readJson(buffer, bounds)),
    );
  }
}

/**
 * Replaces the framework's parsers by the one for JSON of at most `values` values (`limits.jsonValues`), and refuses
 * other codings before the body is read.
 */
export function acceptJson(server: FastifyInstance, values: number): void {
  server.removeAllContentTypeParsers();
  acceptJsonAs(server, ['application/json'], { values });
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
export function acceptPlainJson(server: FastifyInstance, bounds: JsonBounds): void {
  acceptJsonAs(server, ['application/json', 'text/plain'], bounds);
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
  server.addContentTypeParser<Buffer>(types, { parseAs: 'buffer' }, parser(utf8));
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
