// Sends responses as text that is ready: the framework never serializes a body again. Every error has one envelope; unexpected ones
// are logged, and sent as a 500 without detail.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import { ERRORS } from '../../errors/error-catalogue.ts';
import { AppError, type ErrorCode, type ErrorItem, toAppError } from '../../errors/errors.ts';
import type { ChunkedText } from '../../lib/chunked-text.ts';
import { createLogThrottle } from '../../lib/logger.ts';
import { unsupportedType } from './body-parsers.ts';
import type { HttpLogger } from './http-deps.ts';
import { loggablePath, requestPath } from './request-url.ts';

export const JSON_TYPE = 'application/json';
export const JAVASCRIPT_TYPE = 'text/javascript; charset=utf-8';

/** Serializer of bodies that are ready; the last step takes texts in pieces too. */
export const passThrough = (payload: unknown): string => payload as string;

/** Sends text under a content type. */
export function sendText(reply: FastifyReply, type: string, text: ChunkedText): FastifyReply {
  // Without this serializer Fastify appends a charset, which JSON does not have (RFC 8259, 11).
  return reply.serializer(passThrough).header('content-type', type).send(text);
}

/** Sends a value as JSON with a status. */
export function sendJson(reply: FastifyReply, value: unknown, status = 200): FastifyReply {
  return sendText(reply.code(status), JSON_TYPE, JSON.stringify(value));
}

const EMPTY_PAGE = { results: [], metadata: { page: 1, offset: 0, totalCount: 0, totalPages: 0 } };

const FASTIFY_ERROR_CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
  ['FST_ERR_CTP_INVALID_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
]);

function member(error: unknown, name: 'code' | 'statusCode'): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** A thrown value as an error that a client may see. */
function toClientError(thrown: unknown, request: Pick<FastifyRequest, 'headers'>): AppError {
  const code = member(thrown, 'code');
  const status = member(thrown, 'statusCode');
  // Only Fastify's own errors count: a status on anything else is chance.
  if (typeof code === 'string' && code.startsWith('FST_') && typeof status === 'number' && status < 500) {
    const known = FASTIFY_ERROR_CODES.get(code) ?? 'BAD_REQUEST';
    if (known === 'UNSUPPORTED_MEDIA_TYPE') return unsupportedType(request, JSON_TYPE);
    return new AppError(known, { cause: thrown });
  }
  return toAppError(thrown);
}

/** Errors of the server, not of a request: every request has them, so they are logged once per interval. */
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'STORE_UNAVAILABLE',
  'MEDIA_UNAVAILABLE',
  'STORE_BUSY',
  'UPLOADS_FULL',
  'ISSUER_UNAVAILABLE',
  'SERVER_EXHAUSTED',
]);
const OUTAGE_LOG_INTERVAL_MS = 10_000;
/** Errors of a server that has too much to do: the connection ends, as requests that wait on it would be too much again. */
const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set(['SERVER_BUSY', 'STORE_BUSY']);

/** True for errors of posted code, which has a log of its own. */
const isModuleError = ({ code }: AppError) => code.startsWith('ENDPOINT_') || code === 'SANDBOX_DISABLED';

/** What is wrong with a header that names no token; the message and the challenge are those that clients compare. */
function explainAuthorization(header: string): string {
  const [scheme = '', ...parts] = header.trim().split(' ');
  const form = '`Authorization: Bearer <token>`';
  if (scheme.toLowerCase() !== 'bearer') {
    return `The scheme \`Bearer\` is missing in the \`Authorization\` header: send ${form}`;
  }
  return `The \`Authorization\` header has ${parts.length === 0 ? 'no token' : 'spaces in its token'}: send ${form}`;
}

function errorItems(error: AppError, { authorization }: FastifyRequest['headers']): readonly ErrorItem[] {
  if (error.code === 'NO_TOKEN' && authorization !== undefined) {
    return error.items.map((item) => ({ ...item, details: explainAuthorization(authorization) }));
  }
  if (error.status !== 503 || isModuleError(error)) return error.items;
  return error.items.map((item) => ({ ...item, code: 'API-0004', title: ERRORS[error.code].message }));
}

function errorHeaders(error: AppError, request: FastifyRequest): Readonly<Record<string, string>> {
  const hasChallenge = 'WWW-Authenticate' in error.headers;
  // The domain does not know the path, which the challenge names.
  if (error.code === 'NOT_PERMITTED' && error.status === 401 && !hasChallenge) {
    return (request.client === null ? missingTokenError() : notPermittedError(requestPath(request))).headers;
  }
  return error.headers;
}

const extraMembers = (error: AppError) =>
  error.code === 'DOCUMENT_NOT_FOUND' ? { ...EMPTY_PAGE, ...error.body } : error.body;

/** The body of the content API's errors. */
function formatError(error: AppError, { headers }: Pick<FastifyRequest, 'headers'>): object {
  return {
    statusCode: error.status,
    success: false,
    errors: errorItems(error, headers),
    ...extraMembers(error),
  };
}

interface ErrorHandlerOptions {
  readonly now?: () => number;
  /** The body of an error; that of the content API by default. */
  readonly format?: (error: AppError, request: Pick<FastifyRequest, 'headers'>) => object;
}

/** Makes Fastify's error handler: it sends what the client may see, and logs the rest. */
export function createErrorHandler(
  logger: HttpLogger,
  { now = Date.now, format = formatError }: ErrorHandlerOptions = {},
) {
  const limit = createLogThrottle({ everyMs: OUTAGE_LOG_INTERVAL_MS, now });
  const logUnserved = (error: AppError, fields: object) => {
    const line = OUTAGE_CODES.has(error.code) ? limit(error.code) : {};
    if (line !== undefined) logger.warn({ ...fields, ...line }, 'request could not be served');
    else logger.debug(fields, 'request could not be served');
  };
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The client went away while it sent the body: nobody reads the response, and the server is not at fault.
    const isAborted = request.raw.readableAborted && !request.raw.complete;
    const error = isAborted ? new AppError('BAD_REQUEST') : toClientError(thrown, request);
    const fields = { requestId: request.id, method: request.method, path: loggablePath(request) };
    if (isModuleError(error)) logger.debug({ ...fields, code: error.code }, 'endpoint call failed');
    // A flood of connections must not flood the log.
    else if (error.code === 'SERVER_BUSY') logger.debug(fields, 'request rejected: server busy');
    else if (error.status === 500) logger.error({ ...fields, err: thrown }, 'request failed');
    else if (error.status === 503) logUnserved(error, { ...fields, err: thrown });
    reply.headers(errorHeaders(error, request));
    // Not through the framework, whose own wish to close is ignored.
    if (OVERLOAD_CODES.has(error.code)) reply.raw.setHeader('connection', 'close');
    return sendJson(reply, format(error, request), error.status);
  };
}
