// The Fastify server of both listeners: its limits, its error handler, and its first hook, which sets the headers of all responses and
// limits connections and the query string. The last hook is in `on-send.ts`.
import type { IncomingMessage, Server, ServerOptions } from 'node:http';
import fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { bodyLimit } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import type { createErrorHandler } from '../core/reply.ts';
import { loggablePath, rawQuery, requestPath } from '../core/request-url.ts';
import { type OnRequestHook, replaceMethod, restoreMethod } from '../core/resource.ts';
import { createClientAddressResolver } from './client-address.ts';
import { type ConnectionTracker, createClientErrorHandler, createNodeServer } from './connection-tracker.ts';
import { createOnSend, settleConnection } from './on-send.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, by `server.trustProxy`, without port and zone. */
    clientAddress: string;
  }
}

const MAX_HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 72_000;
const CONNECTION_CHECK_MS = 2000;
const CLOSE_IDLE_INTERVAL_MS = 50;
const NO_QUERY = {};

/** No route has a schema, and the packages that compile them would delay the start. */
const noSchemas = () => {
  throw new Error('routes have no schemas');
};

/** Served on connections over the limit too, so that monitoring sees that the server lives. */
const HEALTH_PATH = '/health';
const missingHost = () => new AppError('BAD_REQUEST', { message: 'The Host header is missing' });

/** Makes the hook, and the function that sets the common headers where hooks do not run. */
export function createOnRequest(
  { config, logger }: Pick<HttpDeps, 'config' | 'logger'>,
  connections: Pick<ConnectionTracker, 'get'>,
) {
  const { name, trustProxy } = config.server;
  const addressOf = createClientAddressResolver(trustProxy);
  const { queryStringBytes } = config.limits;
  const setCommonHeaders = (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('server', name);
    reply.header('x-content-type-options', 'nosniff');
    reply.header('x-request-id', request.id);
  };
  const onRequest: OnRequestHook = (request, reply, done) => {
    restoreMethod(request.raw);
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

interface FastifyServerOptions {
  readonly connections: ConnectionTracker;
  readonly onError: ReturnType<typeof createErrorHandler>;
  /** The URL to route. */
  readonly rewriteUrl?: (raw: IncomingMessage) => string;
}

/** Closes connections once they are idle: those that were busy when the shutdown began would stay open. */
function closeConnectionsOnceIdle({ server }: FastifyInstance, connections: ConnectionTracker): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.closeFinished();
  }, CLOSE_IDLE_INTERVAL_MS);
  server.once('close', () => clearInterval(sweep));
}

/** Makes a server without routes. Every error goes to `onError`. */
export function createFastifyServer(
  deps: Pick<HttpDeps, 'config' | 'logger' | 'generateId'>,
  { connections, onError, rewriteUrl = (raw) => raw.url ?? '/' }: FastifyServerOptions,
): FastifyInstance {
  const { limits } = deps.config;
  const entry = createOnRequest(deps, connections);
  const http: ServerOptions = {
    maxHeaderSize: MAX_HEADER_BYTES,
    // The first hook rejects a missing host instead, in the envelope.
    requireHostHeader: false,
    headersTimeout: limits.headersSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CONNECTION_CHECK_MS,
  };
  const options: FastifyHttpOptions<Server> = {
    logger: false,
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    genReqId: () => deps.generateId(),
    bodyLimit: bodyLimit('few', limits.jsonBytes),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createNodeServer(handle, { http, connections }),
    routerOptions: {
      ignoreTrailingSlash: true,
      // No segment of a path is longer than all headers, so this limit never applies.
      maxParamLength: MAX_HEADER_BYTES,
      // Routes that take parameters parse them themselves, strictly.
      querystringParser: () => NO_QUERY,
    },
    rewriteUrl: (raw) => {
      replaceMethod(raw);
      return rewriteUrl(raw);
    },
    clientErrorHandler: createClientErrorHandler(connections),
    frameworkErrors: (error, request, reply) => {
      entry.headers(request, reply);
      settleConnection(request, reply, connections.get(request.raw.socket));
      onError(error, request, reply);
    },
  };
  const server = fastify(options);
  server.decorateRequest('client', null);
  server.decorateRequest('clientAddress', '');
  server.decorateRequest('lookUpMs', 0);
  server.setErrorHandler(onError);
  server.addHook('onRequest', entry.onRequest);
  server.addHook('onSend', createOnSend(connections));
  server.addHook('preClose', async () => {
    if (server.server.listening) closeConnectionsOnceIdle(server, connections);
  });
  return server;
}
