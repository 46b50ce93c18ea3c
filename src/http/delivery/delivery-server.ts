// The delivery listener's HTTP server: login and health for everybody, `/api` for admins, every other path for files.
import type { FastifyInstance } from 'fastify';
import { isFlushPattern } from '../../delivery/flush-images.ts';
import { AppError } from '../../errors/errors.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { metricsRoutes } from '../admin/metrics-routes.ts';
import { healthRoutes } from '../admin/status-routes.ts';
import { tokenRoutes } from '../admin/token-routes.ts';
import { jsonBody, useJsonParser } from '../core/body-parsers.ts';
import { applyFileCors } from '../core/cors.ts';
import { sendJson } from '../core/reply.ts';
import { createAuthenticate, requireAdmin } from '../core/request-access.ts';
import { originForm } from '../core/request-url.ts';
import { addAnyMethodRoute, addResource, type ResourceHandlers } from '../core/resource.ts';
import { createConnectionTracker } from '../transport/connection-tracker.ts';
import { createFastifyServer } from '../transport/fastify-server.ts';
import { FLUSH_VARIANTS } from './definition-operations.ts';
import { definitionRoutes, forbidCaching } from './definition-routes.ts';
import { deliveredFileRoute } from './delivered-file-route.ts';
import type { DeliveryDeps } from './delivery-deps.ts';
import { createDeliveryErrorHandler } from './delivery-error-handler.ts';

const MISSING_PATTERN = { success: false, message: "A 'pattern' must be specified" };

/** Registers `POST /api/flush`, which drops rendered images by a pattern: `*`, a path, a path with a query string, or a query string. */
function variantFlushRoute(server: FastifyInstance, { flush }: Pick<DeliveryDeps, 'flush'>): void {
  const handlers: ResourceHandlers = {
    POST: async (request, reply) => {
      const body = jsonBody(request);
      const pattern = isJsonObject(body) ? body['pattern'] : undefined;
      if (!isFlushPattern(pattern)) return sendJson(reply, MISSING_PATTERN, 400);
      await flush(pattern);
      return sendJson(reply, { success: true, message: `Cache flushed for pattern "${pattern}"` });
    },
  };
  addResource(server, '/api/flush', handlers, { operations: { POST: FLUSH_VARIANTS } });
}

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
