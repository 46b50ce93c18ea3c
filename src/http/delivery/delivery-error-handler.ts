// Errors of the delivery listener: a list of texts, never cached.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../errors/errors.ts';
import type { HttpLogger } from '../core/http-deps.ts';
import { createErrorHandler } from '../core/reply.ts';

type ErrorHandler = ReturnType<typeof createErrorHandler>;

/** Headers of the response that was to be sent before the error. */
const FILE_HEADERS = [
  'etag',
  'last-modified',
  'content-encoding',
  'content-range',
  'content-security-policy',
  'x-cache',
];

/** The body of every error. */
export function deliveryErrorBody(errors: readonly unknown[]) {
  return { success: false, errors };
}

/** Clients of older servers read this member where a token is missing or bad. */
const OLD_UNAUTHORIZED = { Error: 'HTTP 401 Unauthorized' };
const TOKEN_ERRORS: ReadonlySet<string> = new Set(['NO_TOKEN', 'INVALID_TOKEN']);

const formatTexts = ({ code, items }: AppError) => ({
  ...deliveryErrorBody(items.map(({ message }) => message)),
  ...(TOKEN_ERRORS.has(code) && OLD_UNAUTHORIZED),
});

/** Clients of older servers read this text for every malformed body of a route or recipe. */
const formatDefinitionError = (error: AppError) =>
  error.code === 'BAD_REQUEST' ? deliveryErrorBody(['Bad Request']) : formatTexts(error);

function withNoStore(handle: ErrorHandler): ErrorHandler {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    for (const name of FILE_HEADERS) reply.removeHeader(name);
    return handle(thrown, request, reply.header('Cache-Control', 'no-store'));
  };
}

/** Makes the error handler of the listener. */
export function createDeliveryErrorHandler(logger: HttpLogger): ErrorHandler {
  return withNoStore(createErrorHandler(logger, { format: formatTexts }));
}

/** Makes the error handler for the administration of routes and recipes. */
export function createDefinitionErrorHandler(logger: HttpLogger): ErrorHandler {
  return withNoStore(createErrorHandler(logger, { format: formatDefinitionError }));
}
