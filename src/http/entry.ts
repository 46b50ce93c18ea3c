// What happens to every request first: the headers that all answers carry, the bounds on connections and the query string.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { Hook } from './authenticate.ts';
import { createClientAddress } from './client-address.ts';
import type { Connections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import { loggedPath, pathOf } from './error-handler.ts';
import { queryText } from './query-string.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, by `server.trustProxy`, without port and zone. */
    clientAddress: string;
  }
}

type Deps = Pick<HttpDeps, 'config' | 'logger'>;

/** Answered on every connection: whoever watches the server learns that it lives. */
const HEALTH = '/health';
const noHost = () => new AppError('BAD_REQUEST', { message: 'The Host header is missing' });

/** Makes the first hook, and the function that sets the common headers where hooks do not run. */
export function createEntry({ config, logger }: Deps, connections: Pick<Connections, 'of'>) {
  const { name, trustProxy } = config.server;
  const addressOf = createClientAddress(trustProxy);
  const { queryStringBytes } = config.limits;
  const headers = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('server', name);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('x-request-id', request.id);
  };
  const onRequest: Hook = (request, reply, done) => {
    headers(request, reply);
    request.clientAddress = addressOf(request.raw);
    if (logger.isLevelEnabled('debug')) {
      const about = { requestId: request.id, method: request.method, path: loggedPath(request) };
      logger.debug({ ...about, address: request.clientAddress }, 'request');
    }
    const { raw, originalUrl: url } = request;
    const tooLong = url.length > queryStringBytes && (queryText(url)?.length ?? 0) > queryStringBytes;
    const isSurplus = connections.of(raw.socket)?.isSurplus === true;
    if (isSurplus && pathOf(request) !== HEALTH) done(new AppError('SERVER_BUSY'));
    else if (tooLong) done(new AppError('URI_TOO_LONG'));
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1') done(noHost());
    else done();
  };
  return { headers, onRequest };
}
