// The delivery listener's HTTP server: login and health for everybody, `/api` for admins, every other path for files.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { metricsRoutes } from '../admin/metrics-routes.ts';
import { healthRoutes } from '../admin/status-routes.ts';
import { tokenRoutes } from '../admin/token-routes.ts';
import { useJsonParser } from '../core/body-parsers.ts';
import { applyFileCors } from '../core/cors.ts';
import { createAuthenticate, requireAdmin } from '../core/request-access.ts';
import { originForm } from '../core/request-url.ts';
import { addAnyMethodRoute } from '../core/resource.ts';
import { createConnectionTracker } from '../transport/connection-tracker.ts';
import { createFastifyServer } from '../transport/fastify-server.ts';
import { definitionRoutes, forbidCaching } from './definition-routes.ts';
import { deliveredFileRoute } from './delivered-file-route.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { createDeliveryErrorHandler } from './delivery-error-handler.ts';
import { variantFlushRoute } from './variant-flush-route.ts';

/** Unknown paths below `/api` are 404, behind the guard of admins. */
function unknownApiPaths(server: FastifyInstance): void {
  for (const url of ['/api', '/api/*']) {
    addAnyMethodRoute(server, url, () => {
      throw new AppError('NOT_FOUND');
    });
  }
}

/** Builds the server. It does not listen yet; `inject` works. */
export function createDeliveryServer(deps: DeliveryDeps): FastifyInstance {
  const { config, logger, metrics, unsentBytes: unsent } = deps;
  const { limits } = config;
  const connections = createConnectionTracker({
    limits,
    unsent,
    logger,
    onAnswered: metrics?.onAnswered,
    now: () => performance.now(),
  });
  const onError = createDeliveryErrorHandler(logger);
  const server = createFastifyServer(deps, {
    connections,
    onError,
    cors: applyFileCors,
    rewriteUrl: ({ url = '/' }) => originForm(url),
  });
  useJsonParser(server, limits.jsonValues);

  server.register(async (scope) => tokenRoutes(scope, deps));
  healthRoutes(server, deps);
  metricsRoutes(server, deps);
  server.register(async (known) => {
    known.addHook('onRequest', forbidCaching);
    known.addHook('onRequest', createAuthenticate(deps));
    known.addHook('onRequest', requireAdmin);
    const definitions = async () => deps;
    known.register(async (scope) => definitionRoutes(scope, { ...deps, definitions }));
    variantFlushRoute(known, deps);
    unknownApiPaths(known);
  });
  server.register(async (scope) => deliveredFileRoute(scope, deps.deliver, { logger, connections }));
  return server;
}
