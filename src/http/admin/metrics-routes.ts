// `/metrics` of both listeners, for Prometheus: to whoever has the token of the configuration, to admins, or to everybody.
import type { FastifyInstance } from 'fastify';
import { isSameSecret } from '../../lib/same-secret.ts';
import type { HttpDeps, HttpMetrics } from '../core/http-deps.ts';
import { sendText } from '../core/reply.ts';
import { createAuthenticate, parseBearerToken, requireAdmin } from '../core/request-access.ts';
import { addResource, type RequestGuard, type ResourceHandlers } from '../core/resource.ts';
import { metricsOperation } from './server-operations.ts';

type Deps = Pick<HttpDeps, 'metrics'> & Parameters<typeof createAuthenticate>[0];

/** Makes the guard that decides who may read metrics. The token of the configuration is good while the database is away, too. */
function createMetricsAccess({ isPublic, token: secret }: HttpMetrics, deps: Deps): RequestGuard {
  const authenticate = createAuthenticate(deps);
  return (request, reply, done) => {
    const token = parseBearerToken(request.headers.authorization);
    if (token !== undefined && secret !== undefined && isSameSecret(token, secret)) return done();
    // A bad token is told so where everybody may read, as on every public route.
    authenticate(request, reply, (error) => {
      if (error !== undefined || isPublic) done(error);
      else requireAdmin(request, reply, done);
    });
  };
}

/** Registers the route, unless nothing is counted. */
export function metricsRoutes(server: FastifyInstance, deps: Deps): void {
  const { metrics } = deps;
  if (metrics === undefined) return;
  server.register(async (scope) => {
    scope.addHook('onRequest', createMetricsAccess(metrics, deps));
    const handlers: ResourceHandlers = {
      GET: async ({ headers: { accept = '' } }, reply) => {
        const { contentType, text } = await metrics.scrape(accept);
        return sendText(reply.header('Cache-Control', 'no-store'), contentType, text);
      },
    };
    const operations = { GET: metricsOperation(metrics.isPublic) };
    addResource(scope, '/metrics', handlers, { operations });
  });
}
