// `GET /{route or recipe}/{path}`: delivers a file, without authentication.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DeliverDeps, type DeliveryRequest, deliver } from '../../delivery/deliver.ts';
import type { DeliveryResponse } from '../../delivery/responses/file-response.ts';
import { OriginalChangedError } from '../../delivery/sources/remote-source.ts';
import { AppError, isStoreUnavailable, StoreError, toAppError } from '../../errors/errors.ts';
import { parsePairs } from '../../lib/http/parse-pairs.ts';
import type { HttpLogger } from '../core/http-deps.ts';
import { passThrough } from '../core/reply.ts';
import { rawQuery, requestPath, urlPath } from '../core/request-url.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { assertNotGone, createCloseSignal } from '../transport/close-signal.ts';
import { type BufferQuota, openFileBody, reserveBuffers } from '../transport/file-body.ts';
import { createVisitor } from './request-visitor.ts';

const lengthOf = ({ headers }: DeliveryResponse) => {
  const length = headers['Content-Length'];
  return length === undefined ? undefined : Number(length);
};

/** What the buffers of one streamed file may hold, from its source to the socket. */
const FILE_BUFFER_BYTES = 65_536;

export interface DeliveredFileOptions {
  readonly logger: Pick<HttpLogger, 'warn'>;
  readonly connections: BufferQuota;
}

/** Makes the function that opens the body of an answer: bytes that are in memory, or a stream that goes with the response. */
function createOpenBody({ logger, connections }: DeliveredFileOptions) {
  return async (
    answer: DeliveryResponse,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Buffer | Readable | undefined> => {
    const { body } = answer;
    if (typeof body !== 'function') return body;
    // Without a stream Fastify would overwrite the length of the file.
    if (request.method === 'HEAD') return Readable.from([]);
    reserveBuffers(request, reply, { connections, bytes: FILE_BUFFER_BYTES });
    return openFileBody(reply.raw, {
      open: body,
      length: lengthOf(answer),
      onFailure: (err) =>
        logger.warn({ requestId: request.id, path: requestPath(request), err }, 'delivery failed'),
    });
  };
}

/** True where a file went, or was replaced, after it had been found: at the next look there is another, or none. */
const hasGone = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.reason === 'conflict';

/** The same for files of other web servers too. */
const isWorthAnotherLook = (error: unknown) => hasGone(error) || error instanceof OriginalChangedError;

const replaced = (cause: Error) =>
  new AppError('MEDIA_UNAVAILABLE', {
    message: 'The file is being replaced',
    retryAfter: 1,
    cause,
  });

/** Makes the function that rethrows an error in words of delivery, which has files and no database. */
function createRethrow(signal: AbortSignal) {
  return (error: unknown): never => {
    assertNotGone(signal, error);
    if (hasGone(error)) throw replaced(error);
    if (!isStoreUnavailable(error)) throw error;
    throw new AppError(toAppError(error).code, { message: 'The file cannot be read now', cause: error });
  };
}

const deliveryRequest = (request: FastifyRequest, signal: AbortSignal): DeliveryRequest => {
  const { headers } = request;
  return {
    path: urlPath(request.originalUrl),
    query: parsePairs(rawQuery(request.originalUrl) ?? ''),
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
  };
};

/** Registers every path that has no other route. */
export function deliveredFileRoute(
  server: FastifyInstance,
  deps: DeliverDeps,
  options: DeliveredFileOptions,
): void {
  const openBody = createOpenBody(options);
  const begin = async (request: FastifyRequest, reply: FastifyReply, signal: AbortSignal) => {
    const answer = await deliver(deliveryRequest(request, signal), deps);
    return { answer, body: await openBody(answer, request, reply) };
  };
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      const signal = createCloseSignal(reply);
      const { answer, body } = await begin(request, reply, signal)
        .catch((error: unknown) => {
          if (!isWorthAnotherLook(error) || signal.aborted) throw error;
          return begin(request, reply, signal);
        })
        .catch(createRethrow(signal));
      return reply.serializer(passThrough).code(answer.status).headers(answer.headers).send(body);
    },
  };
  // Paths of files on a port that has no API description: docs/delivery.md.
  addResource(server, '/*', handlers, { operations: { GET: null } });
}
