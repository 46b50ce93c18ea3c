// The Fastify server of both listeners: its limits, its first hook and its error handler, on top of `node-server.ts`.
import type { Server, ServerOptions } from 'node:http';
import fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import { bodyLimit } from '../core/body-parsers.ts';
import type { createErrorHandler } from '../core/error-handler.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { registerAllMethods } from '../core/resource.ts';
import type { ConnectionTracker } from './connection-tracker.ts';
import { createClientErrorHandler, createNodeServer } from './node-server.ts';
import { createOnRequest } from './on-request.ts';
import { settleConnection } from './on-send.ts';

const MAX_HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 72_000;
const CONNECTION_CHECK_MS = 2000;
const CLOSE_IDLE_INTERVAL_MS = 50;
const NO_QUERY = {};

/** No route has a schema, and the packages that compile them would delay the start. */
const noSchemas = () => {
  throw new Error('routes have no schemas');
};

interface FastifyServerOptions {
  readonly connections: ConnectionTracker;
  readonly onError: ReturnType<typeof createErrorHandler>;
  readonly rewriteUrl?: NonNullable<FastifyHttpOptions<Server>['rewriteUrl']>;
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
  { connections, onError, rewriteUrl }: FastifyServerOptions,
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
    ...(rewriteUrl === undefined ? {} : { rewriteUrl }),
    clientErrorHandler: createClientErrorHandler(connections),
    frameworkErrors: (error, request, reply) => {
      entry.headers(request, reply);
      settleConnection(request, reply, connections.get(request.raw.socket));
      onError(error, request, reply);
    },
  };
  const server = fastify(options);
  registerAllMethods(server);
  server.decorateRequest('client', null);
  server.decorateRequest('clientAddress', '');
  server.decorateRequest('lookUpMs', 0);
  server.setErrorHandler(onError);
  server.addHook('onRequest', entry.onRequest);
  server.addHook('preClose', async () => {
    if (server.server.listening) closeConnectionsOnceIdle(server, connections);
  });
  return server;
}
