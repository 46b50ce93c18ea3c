// Errors of the delivery listener: a list of texts, and nothing that anyone may keep.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../errors.ts';
import type { HttpLogger } from '../deps.ts';
import { createErrorHandler } from '../error-handler.ts';

type ErrorHandler = ReturnType<typeof createErrorHandler>;

/** Headers of the answer that was to be sent when the error came. */
const OF_FILES = [
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

const textsOf = ({ items }: AppError) => errorBody(items.map(({ message }) => message));

/** Where documents are posted, clients of older servers read these words for every body that is none. */
const badRequest = (error: AppError) =>
  error.code === 'BAD_REQUEST' ? errorBody(['Bad Request']) : textsOf(error);

function unkept(handle: ErrorHandler): ErrorHandler {
  return (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
    for (const name of OF_FILES) reply.removeHeader(name);
    return handle(thrown, request, reply.header('Cache-Control', 'no-store'));
  };
}

/** Makes the handler of all errors. */
export function createDeliveryErrorHandler(logger: HttpLogger): ErrorHandler {
  return unkept(createErrorHandler(logger, { shape: textsOf }));
}

/** Makes the handler for addresses that take routes and recipes. */
export function createDocumentErrorHandler(logger: HttpLogger): ErrorHandler {
  return unkept(createErrorHandler(logger, { shape: badRequest }));
}
