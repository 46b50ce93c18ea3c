// What both listeners have in common: the framework on top of `listener.ts`, its limits, and the hooks that come first.
import type { Server, ServerOptions } from 'node:http';
import fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import { bodyLimit } from './body-limits.ts';
import type { Connections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import { createEntry } from './entry.ts';
import type { createErrorHandler } from './error-handler.ts';
import { createBrokenRequestHandler, createHttpServer } from './listener.ts';
import { decideConnection } from './on-send.ts';
import { knowAllMethods } from './resource.ts';

const HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 72_000;
const CHECK_CONNECTIONS_MS = 2000;
const CLOSE_IDLE_MS = 50;
const NO_QUERY = {};

interface FrameworkOptions {
  readonly connections: Connections;
  readonly onError: ReturnType<typeof createErrorHandler>;
  readonly rewriteUrl?: NonNullable<FastifyHttpOptions<Server>['rewriteUrl']>;
}

/** Connections that were busy when the close began would else be kept alive once their answer is out. */
function closeConnectionsOnceIdle({ server }: FastifyInstance, connections: Connections): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.endDone();
  }, CLOSE_IDLE_MS);
  server.once('close', () => clearInterval(sweep));
}

/** Makes a server without routes. Every request passes the entry; every error goes to `onError`. */
export function createFramework(
  deps: Pick<HttpDeps, 'config' | 'logger' | 'newId'>,
  { connections, onError, rewriteUrl }: FrameworkOptions,
): FastifyInstance {
  const { limits } = deps.config;
  const entry = createEntry(deps, connections);
  const http: ServerOptions = {
    maxHeaderSize: HEADER_BYTES,
    // Refused by the first hook instead, in the envelope.
    requireHostHeader: false,
    headersTimeout: limits.headersSeconds * 1000,
    requestTimeout: limits.requestSeconds * 1000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
  };
  const options: FastifyHttpOptions<Server> = {
    logger: false,
    genReqId: () => deps.newId(),
    bodyLimit: bodyLimit('few', limits.jsonBytes),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createHttpServer(handle, { http, connections }),
    routerOptions: {
      ignoreTrailingSlash: true,
      // No part of a path can be longer than all headers, so this bound never decides.
      maxParamLength: HEADER_BYTES,
      // Routes that take parameters parse them themselves, strictly.
      querystringParser: () => NO_QUERY,
    },
    ...(rewriteUrl === undefined ? {} : { rewriteUrl }),
    clientErrorHandler: createBrokenRequestHandler(connections),
    frameworkErrors: (error, request, reply) => {
      entry.headers(request, reply);
      decideConnection(request, reply, connections.of(request.raw.socket));
      onError(error, request, reply);
    },
  };
  const server = fastify(options);
  knowAllMethods(server);
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
