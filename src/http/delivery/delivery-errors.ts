// Errors of the delivery listener: a list of texts, and nothing that anyone may keep.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../errors.ts';
import { createErrorHandler } from '../core/error-handler.ts';
import type { HttpLogger } from '../core/http-deps.ts';

type ErrorHandler = ReturnType<typeof createErrorHandler>;

/** Headers of the answer that was to be sent when the error came. */
const FILE_HEADERS = [
  'etag',
  'last-modified',
  'content-encoding',
  'content-range',
  'content-security-policy',
  'x-cache',
];

/** The body of every error. */
export function errorBody(errors: readonly unknown[]) {
  return { success: false, errors };
}

const formatTexts = ({ items }: AppError) => errorBody(items.map(({ message }) => message));

/** Where documents are posted, clients of older servers read these words for every body that is none. */
const formatDefinitionError = (error: AppError) =>
  error.code === 'BAD_REQUEST' ? errorBody(['Bad Request']) : formatTexts(error);

function withNoStore(handle: ErrorHandler): ErrorHandler {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    for (const name of FILE_HEADERS) reply.removeHeader(name);
    return handle(thrown, request, reply.header('Cache-Control', 'no-store'));
  };
}

/** Makes the handler of all errors. */
export function createDeliveryErrorHandler(logger: HttpLogger): ErrorHandler {
  return withNoStore(createErrorHandler(logger, { format: formatTexts }));
}

/** Makes the handler for addresses that take routes and recipes. */
export function createDefinitionErrorHandler(logger: HttpLogger): ErrorHandler {
  return withNoStore(createErrorHandler(logger, { format: formatDefinitionError }));
}
