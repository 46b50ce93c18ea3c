// Collects what routes say about themselves while they are registered.

import type { FastifyInstance } from 'fastify';
import { isHttpMethod } from '../../lib/http/methods.ts';
import type { DescribedRoute } from '../core/operation.ts';

/** The described routes that are registered from now on: the list grows until the server is ready. */
export function collectDescribedRoutes(server: FastifyInstance): readonly DescribedRoute[] {
  const routes: DescribedRoute[] = [];
  server.addHook('onRoute', ({ method, url, config }) => {
    const operation = config?.operation;
    if (operation === undefined || operation === null) return;
    // Fastify adds HEAD to GET.
    if (typeof method === 'string' && method !== 'HEAD' && isHttpMethod(method)) {
      routes.push({ method, url, operation });
    }
  });
  return routes;
}
