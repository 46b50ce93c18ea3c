// The content API's HTTP server: the order in which a request meets hooks and routes.

import type { IncomingMessage } from 'node:http';
import cors, { type FastifyCorsOptions, type OriginFunction } from '@fastify/cors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createAuthenticate } from './authenticate.ts';
import { acceptJson } from './body.ts';
import { createConnections } from './connections.ts';
import type { HttpConfig, HttpDeps } from './deps.ts';
import { createEndpointAddresses, type EndpointAddresses } from './endpoint-address.ts';
import { createErrorHandler } from './error-handler.ts';
import { createFramework } from './framework.ts';
import { createDownloads } from './media/files.ts';
import { createMediaAddresses } from './media/media-address.ts';
import { createReceiveUpload } from './media/receive-upload.ts';
import { refuseUnsigned } from './media/uploads.ts';
import { createOnSend } from './on-send.ts';
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
import { mediaFileRoutes } from './routes/media-files.ts';
import { signedUploadRoutes } from './routes/signed-uploads.ts';
import { specificationRoutes } from './routes/specifications.ts';
import { statusRoutes } from './routes/status.ts';
import { tokenRoutes } from './routes/token.ts';

const EXPOSED = ['ETag', 'X-Request-Id', 'X-Cache', 'X-Cache-Lookup', 'WWW-Authenticate', 'Retry-After'];

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
  const mediaAddresses = createMediaAddresses(deps.registry);
  const rewriteUrl = (raw: IncomingMessage) => mediaAddresses.rewrite(raw) ?? addresses.rewrite(raw);
  const server = createFramework(deps, { connections, onError, rewriteUrl });
  const cache = responseCache(deps);
  const files = createDownloads({ ...deps, connections });
  const receive = createReceiveUpload(deps, connections);
  server.decorateRequest('collection', null);
  server.addHook('onSend', createOnSend(connections));
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
    known.register(async (scope) => signedUploadRoutes(scope, deps, { addresses: mediaAddresses, receive }));
    known.register(async (scope) => {
      documentRoutes(scope, deps, { cache, connections, files, receive, refuseUnsigned });
    });
    known.register(async (scope) => mediaFileRoutes(scope, deps, files));
  });
  return server;
}
