// The content API's HTTP server: the order in which a request meets guards and routes.

import type { FastifyInstance } from 'fastify';
import { adminPageRoutes } from './admin/admin-page-routes.ts';
import { cacheFlushRoutes, configRoutes } from './admin/admin-routes.ts';
import { auditRoutes } from './admin/audit-routes.ts';
import { clientAccessRoutes } from './admin/client-access-route.ts';
import { clientRoutes } from './admin/client-routes.ts';
import { meRoutes } from './admin/me-routes.ts';
import { metricsRoutes } from './admin/metrics-routes.ts';
import { rootRoute } from './admin/root-route.ts';
import { collectionListRoutes, specificationRoutes } from './admin/specification-routes.ts';
import { faviconRoute, healthRoutes, statusRoutes } from './admin/status-routes.ts';
import { tokenRoutes } from './admin/token-routes.ts';
import { useJsonParser } from './core/body-parsers.ts';
import { createCors } from './core/cors.ts';
import type { HttpDeps } from './core/http-deps.ts';
import { createErrorHandler } from './core/reply.ts';
import { createAuthenticate } from './core/request-access.ts';
import { createUrlRewriter } from './core/url-rewrite.ts';
import { guardedDefinitionRoutes } from './delivery/definition-routes.ts';
import { collectDescribedRoutes } from './description/described-routes.ts';
import { descriptionRoutes } from './description/description-routes.ts';
import { docsPageRoutes } from './description/docs-page-routes.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { removedDocumentRoutes } from './documents/removed-documents-route.ts';
import { createResponseCache, type ResponseCache } from './documents/response-cache.ts';
import { createDownloadHandlers, mediaFileRoutes } from './media/file-downloads.ts';
import { createReceiveUpload } from './media/receive-upload.ts';
import { signedUploadRoutes } from './media/signed-upload-routes.ts';
import { endpointListRoutes, endpointRoutes } from './modules/endpoint-routes.ts';
import { hookRoutes } from './modules/hook-routes.ts';
import { createConnectionTracker } from './transport/connection-tracker.ts';
import { createFastifyServer } from './transport/fastify-server.ts';

function createCache({
  cache,
  store,
  registry,
  config,
  generateId,
  metrics,
  deployment,
  cacheMarks,
  now,
}: HttpDeps): ResponseCache | undefined {
  if (cache === undefined) return undefined;
  return createResponseCache({
    cache,
    store,
    registry,
    bootId: generateId(),
    ttlSeconds: config.cache.ttl,
    processes: deployment,
    marks: cacheMarks,
    now,
    onResult: metrics?.onCacheResult,
  });
}

/** Builds the server, without listening; `inject` works. */
export function createContentServer(deps: HttpDeps): FastifyInstance {
  const onError = createErrorHandler(deps.logger);
  const urls = createUrlRewriter({
    collections: deps.registry,
    endpoints: deps.modules.registry,
    defaultBucket: deps.config.media.defaultBucket,
  });
  const connections = createConnectionTracker({
    limits: deps.config.limits,
    unsent: deps.unsentBytes,
    logger: deps.logger,
    now: () => performance.now(),
    onAnswered: deps.metrics?.onAnswered,
  });
  const cors = createCors(deps.config.cors, (raw) => urls.endpointOf(raw) !== undefined);
  const server = createFastifyServer(deps, { connections, onError, cors, rewriteUrl: urls.rewrite });
  const routes = collectDescribedRoutes(server);
  const cache = createCache(deps);
  const files = createDownloadHandlers({ ...deps, connections });
  const receive = createReceiveUpload(deps, connections);
  server.decorateRequest('collection', null);
  useJsonParser(server, deps.config.limits.jsonValues);

  server.register(async (scope) => tokenRoutes(scope, deps));
  healthRoutes(server, { ...deps, isConfirmed: () => deps.deployment.isConfirmed() });
  metricsRoutes(server, deps);
  server.register(async (known) => {
    known.addHook('onRequest', createAuthenticate(deps));
    known.setNotFoundHandler(() => undefined);
    faviconRoute(known);
    rootRoute(known, deps);
    descriptionRoutes(known, deps, routes);
    docsPageRoutes(known, deps);
    adminPageRoutes(known, deps);
    known.register(async (scope) => clientRoutes(scope, deps));
    known.register(async (scope) => clientAccessRoutes(scope, deps));
    known.register(async (scope) => configRoutes(scope, deps));
    known.register(async (scope) => meRoutes(scope, deps));
    known.register(async (scope) => removedDocumentRoutes(scope, deps));
    known.register(async (scope) => collectionListRoutes(scope, deps));
    known.register(async (scope) => auditRoutes(scope, deps));
    known.register(async (scope) => statusRoutes(scope, deps));
    known.register(async (scope) => cacheFlushRoutes(scope, { cache, definitions: deps.definitions }));
    known.register(async (scope) => endpointListRoutes(scope, deps));
    known.register(async (scope) => hookRoutes(scope, deps));
    known.register(async (scope) => guardedDefinitionRoutes(scope, deps));
    endpointRoutes(known, deps, urls);
    known.register(async (scope) => specificationRoutes(scope, deps));
    signedUploadRoutes(known, deps, { urls, receive });
    known.register(async (scope) => {
      documentRoutes(scope, deps, { cache, connections, files, receive });
    });
    known.register(async (scope) => mediaFileRoutes(scope, deps, files));
  });
  return server;
}
