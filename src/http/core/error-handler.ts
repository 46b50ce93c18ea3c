// Every refusal in the one envelope. What is not meant for a client becomes a 500 that says nothing, and a log record.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { missingTokenError, notPermittedError } from '../../auth/auth-errors.ts';
import { ERRORS } from '../../error-catalogue.ts';
import { AppError, type ErrorCode, type ErrorItem, StoreError } from '../../errors.ts';
import { createLogThrottle } from '../../lib/log-throttle.ts';
import type { HttpLogger } from './http-deps.ts';
import { loggablePath, requestPath } from './paths.ts';
import { sendJson } from './reply.ts';

const RETRY_SECONDS = '2';
const EMPTY_PAGE = { results: [], metadata: { page: 1, offset: 0, totalCount: 0, totalPages: 0 } };

const STORE_ERROR_CODES: Readonly<Record<StoreError['reason'], ErrorCode>> = {
  unavailable: 'STORE_UNAVAILABLE',
  damaged: 'STORE_UNAVAILABLE',
  failed: 'STORE_UNAVAILABLE',
  timeout: 'QUERY_TIMEOUT',
  busy: 'STORE_BUSY',
  conflict: 'STORE_BUSY',
  // Of a start, which nobody reaches over HTTP.
  'in-use': 'STORE_UNAVAILABLE',
  duplicate: 'DOCUMENT_INVALID',
  'index-conflict': 'SPECIFICATION_INVALID',
  'too-large': 'PAYLOAD_TOO_LARGE',
  'filter-too-large': 'PAYLOAD_TOO_LARGE',
  'too-much': 'RESULT_TOO_LARGE',
  'parallel-arrays': 'BAD_REQUEST',
  // Documents are told why where they are written. Whatever else meets a rule of the database is nobody's mistake.
  refused: 'STORE_UNAVAILABLE',
};

const FASTIFY_ERROR_CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
  ['FST_ERR_CTP_INVALID_TYPE', 'UNSUPPORTED_MEDIA_TYPE'],
  ['FST_ERR_CTP_BODY_TOO_LARGE', 'PAYLOAD_TOO_LARGE'],
]);

/** What is wrong with each of the fields that a store error names. */
const FIELD_ISSUES: ReadonlyMap<StoreError['reason'], Pick<ErrorItem, 'message' | 'code'>> = new Map([
  ['duplicate', { message: 'must be unique', code: 'ERROR_UNIQUE' }],
  ['parallel-arrays', { message: 'holds a list, as another field of the same index or sort does' }],
]);

const FILTER_TOO_LARGE = 'The filter is too large for the database';

function storeErrorCode({ reason, store }: StoreError): ErrorCode {
  const code = STORE_ERROR_CODES[reason];
  return store === 'media' && code === 'STORE_UNAVAILABLE' ? 'MEDIA_UNAVAILABLE' : code;
}

function fromStoreError(error: StoreError): AppError {
  const code = storeErrorCode(error);
  if (error.reason === 'filter-too-large')
    return new AppError(code, { message: FILTER_TOO_LARGE, cause: error });
  const problem = FIELD_ISSUES.get(error.reason);
  if (problem === undefined || error.fields.length === 0) {
    const { explanation: message } = error;
    return new AppError(code, { ...(message !== undefined && { message }), cause: error });
  }
  const position = error.index === undefined ? {} : { index: error.index };
  const items = error.fields.map((field) => ({ field, ...problem, ...position }));
  return new AppError(code, { items, cause: error });
}

function member(error: unknown, name: 'code' | 'statusCode'): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;
}

/** Whatever was thrown, as an error that a client may see. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof StoreError) return fromStoreError(error);
  const code = member(error, 'code');
  const status = member(error, 'statusCode');
  // Only the framework's own errors count: a status on anything else is chance.
  if (typeof code === 'string' && code.startsWith('FST_') && typeof status === 'number' && status < 500) {
    return new AppError(FASTIFY_ERROR_CODES.get(code) ?? 'BAD_REQUEST', { cause: error });
  }
  return new AppError('INTERNAL', { cause: error });
}

/** What is wrong with the server and not with the request: it meets every request, and one line in so long is enough. */
const OUTAGE_CODES: ReadonlySet<ErrorCode> = new Set([
  'STORE_UNAVAILABLE',
  'MEDIA_UNAVAILABLE',
  'STORE_BUSY',
]);
const OUTAGE_LOG_INTERVAL_MS = 10_000;

/** Trouble with posted code, which has a log of its own. */
const isModuleError = ({ code }: AppError) => code.startsWith('ENDPOINT_') || code === 'SANDBOX_DISABLED';

function errorItems(error: AppError): readonly ErrorItem[] {
  if (error.status !== 503 || isModuleError(error)) return error.items;
  return error.items.map((item) => ({ ...item, code: 'API-0004', title: ERRORS[error.code].message }));
}

function errorHeaders(error: AppError, request: FastifyRequest): Readonly<Record<string, string>> {
  if (error.status === 503) return { 'Retry-After': RETRY_SECONDS, ...error.headers };
  const named = 'WWW-Authenticate' in error.headers;
  // The domain refuses without knowing the address; the challenge wants it.
  if (error.code === 'NOT_PERMITTED' && !named) {
    return (request.client === null ? missingTokenError() : notPermittedError(requestPath(request))).headers;
  }
  return error.headers;
}

const extraMembers = (error: AppError) =>
  error.code === 'DOCUMENT_NOT_FOUND' ? { ...EMPTY_PAGE, ...error.body } : error.body;

/** The body of the content API's errors. */
function formatError(error: AppError): object {
  return { statusCode: error.status, success: false, errors: errorItems(error), ...extraMembers(error) };
}

interface ErrorHandlerOptions {
  readonly now?: () => number;
  /** The body of an error: the content API's unless given. */
  readonly format?: (error: AppError) => object;
}

/** Makes the server's error handler: it answers, and logs what only the operator should know. */
export function createErrorHandler(
  logger: HttpLogger,
  { now = Date.now, format: shape = formatError }: ErrorHandlerOptions = {},
) {
  const limit = createLogThrottle({ everyMs: OUTAGE_LOG_INTERVAL_MS, now });
  const logUnserved = (error: AppError, fields: object) => {
    const line = OUTAGE_CODES.has(error.code) ? limit(error.code) : {};
    if (line !== undefined) logger.warn({ ...fields, ...line }, 'request could not be served');
    else logger.debug(fields, 'request could not be served');
  };
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    // The rest of the body will never come: nobody reads this answer, and nothing is wrong here.
    const brokeOff = request.raw.readableAborted && !request.raw.complete;
    const error = brokeOff ? new AppError('BAD_REQUEST') : toAppError(thrown);
    const about = { requestId: request.id, method: request.method, path: loggablePath(request) };
    if (isModuleError(error)) logger.debug({ ...about, code: error.code }, 'custom code did not answer');
    // Whoever opens too many connections shall not fill the log too.
    else if (error.code === 'SERVER_BUSY') logger.debug(about, 'too busy for a request');
    else if (error.status === 500) logger.error({ ...about, err: thrown }, 'request failed');
    else if (error.status === 503) logUnserved(error, { ...about, err: thrown });
    reply.headers(errorHeaders(error, request));
    return sendJson(reply, shape(error), error.status);
  };
}
