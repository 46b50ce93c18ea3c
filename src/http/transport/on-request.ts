// Fastify's first hook: sets the headers of all responses, and limits connections and the query string.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { loggablePath, rawQuery, requestPath } from '../core/request-url.ts';
import type { OnRequestHook } from '../core/resource.ts';
import { createClientAddressResolver } from './client-address.ts';
import type { ConnectionTracker } from './connection-tracker.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, by `server.trustProxy`, without port and zone. */
    clientAddress: string;
  }
}

type Deps = Pick<HttpDeps, 'config' | 'logger'>;

/** Served on connections over the limit too, so that monitoring sees that the server lives. */
const HEALTH_PATH = '/health';
const missingHost = () => new AppError('BAD_REQUEST', { message: 'The Host header is missing' });

/** Makes the hook, and the function that sets the common headers where hooks do not run. */
export function createOnRequest({ config, logger }: Deps, connections: Pick<ConnectionTracker, 'get'>) {
  const { name, trustProxy } = config.server;
  const addressOf = createClientAddressResolver(trustProxy);
  const { queryStringBytes } = config.limits;
  const setCommonHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('server', name);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('x-request-id', request.id);
  };
  const onRequest: OnRequestHook = (request, reply, done) => {
    setCommonHeaders(request, reply);
    request.clientAddress = addressOf(request.raw);
    if (logger.isLevelEnabled('debug')) {
      const fields = { requestId: request.id, method: request.method, path: loggablePath(request) };
      logger.debug({ ...fields, address: request.clientAddress }, 'request');
    }
    const { raw, originalUrl: url } = request;
    const tooLong = url.length > queryStringBytes && (rawQuery(url)?.length ?? 0) > queryStringBytes;
    const isSurplus = connections.get(raw.socket)?.isSurplus === true;
    if (isSurplus && requestPath(request) !== HEALTH_PATH) done(new AppError('SERVER_BUSY'));
    else if (tooLong) done(new AppError('URI_TOO_LONG'));
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(missingHost());
    else done();
  };
  return { headers: setCommonHeaders, onRequest };
}
