// `GET /{route or recipe}/{path}`: a delivered file, public to everybody.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeliveryAnswer } from '../../delivery/answers/answer.ts';
import { type DeliverDeps, deliver } from '../../delivery/deliver.ts';
import { AppError, isStoreAway } from '../../errors.ts';
import type { Hook } from '../authenticate.ts';
import { pathOf, toAppError } from '../error-handler.ts';
import { queryText } from '../query-string.ts';
import { asIs } from '../reply.ts';
import { resource } from '../resource.ts';
import { visitorOf } from './visitor.ts';

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Cache, X-Request-Id, Accept-Ranges, Content-Range, Retry-After',
};

const allowOrigins: Hook = (_request, reply, done) => {
  reply.headers(CORS);
  done();
};

/** A signal that ends with the connection, for work that nobody else waits for. */
function signalOf(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

async function bodyOf(
  { body }: DeliveryAnswer,
  { method }: FastifyRequest,
): Promise<Buffer | Readable | undefined> {
  if (typeof body !== 'function') return body;
  // The framework would else take the length of nothing for the length of the file.
  return method === 'HEAD' ? Readable.from([]) : body();
}

/** Throws an error as one of delivering, which has files and no database. */
function rethrow(signal: AbortSignal) {
  return (error: unknown): never => {
    // Nobody reads this answer, and nothing is wrong here.
    if (signal.aborted) throw new AppError('BAD_REQUEST', { cause: error });
    if (!isStoreAway(error)) throw error;
    throw new AppError(toAppError(error).code, { message: 'The file cannot be read now', cause: error });
  };
}

/** Registers every address that nothing else has taken. */
export function fileRoute(server: FastifyInstance, deps: DeliverDeps): void {
  server.addHook('onRequest', allowOrigins);
  resource(server, '/*', {
    GET: async (request, reply) => {
      const { headers } = request;
      const signal = signalOf(reply);
      const answer = await deliver(
        {
          path: pathOf(request),
          query: new URLSearchParams(queryText(request.originalUrl) ?? ''),
          accept: headers.accept ?? '',
          acceptEncoding: headers['accept-encoding']?.toString(),
          range: headers.range,
          ifRange: headers['if-range']?.toString(),
          ifNoneMatch: headers['if-none-match'],
          ifModifiedSince: headers['if-modified-since'],
          visitor: visitorOf(request),
          signal,
        },
        deps,
      ).catch(rethrow(signal));
      const body = await bodyOf(answer, request).catch(rethrow(signal));
      return reply.serializer(asIs).code(answer.status).headers(answer.headers).send(body);
    },
  });
}
