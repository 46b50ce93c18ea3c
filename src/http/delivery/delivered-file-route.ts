// `GET /{route or recipe}/{path}`: delivers a file, without authentication.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DeliverDeps, deliver } from '../../delivery/deliver.ts';
import type { Visitor } from '../../delivery/model/delivery-types.ts';
import type { DeliveryResponse } from '../../delivery/responses/file-response.ts';
import { AppError, isStoreUnavailable, toAppError } from '../../errors/errors.ts';
import { onceClosed } from '../../lib/streams/ownership.ts';
import type { HttpLogger } from '../core/http-deps.ts';
import { passThrough } from '../core/reply.ts';
import { rawQuery, requestPath } from '../core/request-url.ts';
import { addResource } from '../core/resource.ts';
import { openFileBody } from '../transport/file-body.ts';

/** The visitor by the headers and the client address of a request. */
export function createVisitor({ headers, clientAddress }: FastifyRequest): Visitor {
  return {
    userAgent: headers['user-agent'] ?? '',
    acceptLanguage: headers['accept-language'] ?? '',
    ip: clientAddress,
  };
}

/** A signal that is aborted when the client closes the connection early. */
function createCloseSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  onceClosed(reply.raw, () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

const lengthOf = ({ headers }: DeliveryResponse) => {
  const length = headers['Content-Length'];
  return length === undefined ? undefined : Number(length);
};

/** Makes the function that opens the body of an answer: bytes that are in memory, or a stream that goes with the response. */
function createOpenBody(logger: Pick<HttpLogger, 'warn'>) {
  return async (
    answer: DeliveryResponse,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Buffer | Readable | undefined> => {
    const { body } = answer;
    if (typeof body !== 'function') return body;
    // Without a stream Fastify would overwrite the length of the file.
    if (request.method === 'HEAD') return Readable.from([]);
    return openFileBody(reply.raw, {
      open: body,
      length: lengthOf(answer),
      onFailure: (err) =>
        logger.warn({ requestId: request.id, path: requestPath(request), err }, 'delivery failed'),
    });
  };
}

/** Makes the function that rethrows an error in words of delivery, which has files and no database. */
function createRethrow(signal: AbortSignal) {
  return (error: unknown): never => {
    // The client has gone: nobody reads the response, and the server is not at fault.
    if (signal.aborted) throw new AppError('BAD_REQUEST', { cause: error });
    if (!isStoreUnavailable(error)) throw error;
    throw new AppError(toAppError(error).code, { message: 'The file cannot be read now', cause: error });
  };
}

/** Registers every path that has no other route. */
export function deliveredFileRoute(
  server: FastifyInstance,
  deps: DeliverDeps,
  logger: Pick<HttpLogger, 'warn'>,
): void {
  const openBody = createOpenBody(logger);
  addResource(server, '/*', {
    GET: async (request, reply) => {
      const { headers } = request;
      const signal = createCloseSignal(reply);
      const answer = await deliver(
        {
          path: requestPath(request),
          query: new URLSearchParams(rawQuery(request.originalUrl) ?? ''),
          accept: headers.accept ?? '',
          acceptEncoding: headers['accept-encoding']?.toString(),
          range: headers.range,
          ifRange: headers['if-range']?.toString(),
          ifMatch: headers['if-match'],
          ifNoneMatch: headers['if-none-match'],
          ifModifiedSince: headers['if-modified-since'],
          ifUnmodifiedSince: headers['if-unmodified-since'],
          visitor: createVisitor(request),
          signal,
        },
        deps,
      ).catch(createRethrow(signal));
      const body = await openBody(answer, request, reply).catch(createRethrow(signal));
      return reply.serializer(passThrough).code(answer.status).headers(answer.headers).send(body);
    },
  });
}
