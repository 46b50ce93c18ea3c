// The content API's HTTP server: limits, then the order in which a request meets hooks and routes.

import type { Server, ServerOptions } from 'node:http';
import cors, { type FastifyCorsOptions, type OriginFunction } from '@fastify/cors';
import fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyRequest } from 'fastify';
import { createAuthenticate } from './authenticate.ts';
import { acceptJson } from './body.ts';
import { bodyLimit } from './body-limits.ts';
import { type Connections, createConnections } from './connections.ts';
import type { HttpConfig, HttpDeps } from './deps.ts';
import { createEndpointAddresses, type EndpointAddresses } from './endpoint-address.ts';
import { createEntry } from './entry.ts';
import { createErrorHandler } from './error-handler.ts';
import { createBrokenRequestHandler, createHttpServer } from './listener.ts';
import { createOnSend, decideConnection } from './on-send.ts';
import { knowAllMethods } from './resource.ts';
import { createResponseCache, type ResponseCache } from './response-cache.ts';
import { apiCollectionsRoutes } from './routes/api-collections.ts';
import { apiConfigRoutes } from './routes/api-config.ts';
import { apiEndpointsRoutes } from './routes/api-endpoints.ts';
import { auditRoutes } from './routes/audit.ts';
import { clientRoutes } from './routes/clients.ts';
import { documentRoutes } from './routes/documents.ts';
import { endpointRoutes } from './routes/endpoints.ts';
import { flushRoutes } from './routes/flush.ts';
import { faviconRoute, healthRoutes } from './routes/health.ts';
import { hookRoutes } from './routes/hooks.ts';
import { specificationRoutes } from './routes/specifications.ts';
import { statusRoutes } from './routes/status.ts';
import { tokenRoutes } from './routes/token.ts';

const HEADER_BYTES = 32_768;
const KEEP_ALIVE_MS = 72_000;
const CHECK_CONNECTIONS_MS = 2000;
const CLOSE_IDLE_MS = 50;
const EXPOSED = ['ETag', 'X-Request-Id', 'X-Cache', 'X-Cache-Lookup', 'WWW-Authenticate', 'Retry-After'];
const NO_QUERY = {};

type ErrorHandler = ReturnType<typeof createErrorHandler>;

/** Whose forwarding headers count: `false`, that many proxies, or proxies in these networks. */
function trusted(setting: HttpConfig['server']['trustProxy']) {
  if (typeof setting === 'number') return (_address: string, hop: number) => hop < setting;
  return setting === false ? false : [...setting];
}

interface ListenerOptions {
  readonly connections: Connections;
  readonly onError: ErrorHandler;
  readonly addresses: EndpointAddresses;
}

function createListener(
  deps: HttpDeps,
  { connections, onError, addresses }: ListenerOptions,
): FastifyInstance {
  const { limits, server } = deps.config;
  const base = createEntry(deps, connections);
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
    trustProxy: trusted(server.trustProxy),
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
    rewriteUrl: addresses.rewrite,
    clientErrorHandler: createBrokenRequestHandler(connections),
    frameworkErrors: (error, request, reply) => {
      base.headers(request, reply);
      decideConnection(request, reply, connections.of(request.raw.socket));
      onError(error, request, reply);
    },
  };
  return fastify(options);
}

function responseCache({ cache, store, registry, config, newId }: HttpDeps): ResponseCache | undefined {
  if (cache === undefined) return undefined;
  return createResponseCache({ cache, store, registry, bootId: newId(), ttlSeconds: config.cache.ttl });
}

/** The origin of the request, or any when it names none. */
const reflect: OriginFunction = (origin, done) => done(null, origin ?? '*');

function allowOrigins(
  server: FastifyInstance,
  { enabled, origins }: HttpConfig['cors'],
  addresses: EndpointAddresses,
): void {
  if (!enabled) return;
  const options = {
    origin: origins.includes('*') ? reflect : [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders: EXPOSED,
    strictPreflight: false,
  };
  const plain = { ...options, preflight: false };
  // An OPTIONS request of an endpoint that is no preflight is for its code, which may answer it.
  const isPlain = ({ raw }: FastifyRequest) =>
    raw.headers['access-control-request-method'] === undefined && addresses.matchOf(raw) !== undefined;
  server.register(cors, {
    delegator: (request: FastifyRequest, done: (error: null, options: FastifyCorsOptions) => void) =>
      done(null, isPlain(request) ? plain : options),
  });
}

/** Connections that were busy when the close began would else be kept alive once their answer is out. */
function closeConnectionsOnceIdle({ server }: FastifyInstance, connections: Connections): void {
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    connections.endDone();
  }, CLOSE_IDLE_MS);
  server.once('close', () => clearInterval(sweep));
}

/** Builds the server. It does not listen yet; `inject` works. */
export function createServer(deps: HttpDeps): FastifyInstance {
  const onError = createErrorHandler(deps.logger);
  const addresses = createEndpointAddresses(deps.modules.registry);
  const connections = createConnections({
    limits: deps.config.limits,
    unsent: deps.unsent,
    logger: deps.logger,
    now: () => performance.now(),
  });
  const server = createListener(deps, { connections, onError, addresses });
  const entry = createEntry(deps, connections);
  const cache = responseCache(deps);
  knowAllMethods(server);
  server.decorateRequest('client', null);
  server.decorateRequest('collection', null);
  server.decorateRequest('lookUpMs', 0);
  server.setErrorHandler(onError);
  server.addHook('onRequest', entry.onRequest);
  server.addHook('onSend', createOnSend(connections));
  server.addHook('preClose', async () => {
    if (server.server.listening) closeConnectionsOnceIdle(server, connections);
  });
  acceptJson(server, deps.config.limits.jsonValues);
  allowOrigins(server, deps.config.cors, addresses);

  server.register(async (scope) => tokenRoutes(scope, deps));
  server.register(async (scope) => healthRoutes(scope, deps));
  server.register(async (known) => {
    known.addHook('onRequest', createAuthenticate(deps));
    known.setNotFoundHandler(() => undefined);
    known.register(async (scope) => faviconRoute(scope));
    known.register(async (scope) => clientRoutes(scope, deps));
    known.register(async (scope) => apiConfigRoutes(scope, deps));
    known.register(async (scope) => apiCollectionsRoutes(scope, deps));
    known.register(async (scope) => auditRoutes(scope, deps));
    known.register(async (scope) => statusRoutes(scope, deps));
    known.register(async (scope) => flushRoutes(scope, cache));
    known.register(async (scope) => apiEndpointsRoutes(scope, deps));
    known.register(async (scope) => hookRoutes(scope, deps));
    known.register(async (scope) => endpointRoutes(scope, deps, addresses));
    known.register(async (scope) => specificationRoutes(scope, deps));
    known.register(async (scope) => documentRoutes(scope, deps, { cache, connections }));
  });
  return server;
}
