// `GET /{route or recipe}/{path}`: delivers a file, without authentication.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DeliverDeps, deliver } from '../../delivery/deliver.ts';
import type { Visitor } from '../../delivery/model/delivery-types.ts';
import type { DeliveryResponse } from '../../delivery/responses/file-response.ts';
import { AppError, isStoreUnavailable, toAppError } from '../../errors/errors.ts';
import { passThrough } from '../core/reply.ts';
import { rawQuery, requestPath } from '../core/request-url.ts';
import { addResource } from '../core/resource.ts';

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
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function openBody(
  { body }: DeliveryResponse,
  { method }: FastifyRequest,
): Promise<Buffer | Readable | undefined> {
  if (typeof body !== 'function') return body;
  // Without a stream Fastify would overwrite the length of the file.
  return method === 'HEAD' ? Readable.from([]) : body();
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
export function deliveredFileRoute(server: FastifyInstance, deps: DeliverDeps): void {
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
          ifNoneMatch: headers['if-none-match'],
          ifModifiedSince: headers['if-modified-since'],
          visitor: createVisitor(request),
          signal,
        },
        deps,
      ).catch(createRethrow(signal));
      const body = await openBody(answer, request).catch(createRethrow(signal));
      return reply.serializer(passThrough).code(answer.status).headers(answer.headers).send(body);
    },
  });
}
