// `/api/endpoints`: lists the endpoints, for any valid token.
import type { FastifyInstance } from 'fastify';
import type { LiveModule } from '../../modules/model/types.ts';
import { requireClient } from '../access/authenticate.ts';
import type { CustomCodeDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';

function formatEndpoint(
  { address, displayName, path, methods, state, suspension, postedAt }: LiveModule,
  isAdmin: boolean,
) {
  if (address.kind !== 'endpoint') return [];
  const { apiVersion: version, name: slug } = address;
  const name = displayName ?? slug;
  // Only admins see why an endpoint is suspended.
  const suspended = isAdmin && suspension !== undefined ? { suspension } : {};
  return [{ version, name, slug, path, methods, state, ...suspended, lastModifiedAt: postedAt }];
}

/** Registers the listing, sorted by path. */
export function endpointListRoutes(
  server: FastifyInstance,
  { modules }: Pick<CustomCodeDeps, 'modules'>,
): void {
  server.addHook('onRequest', requireClient);
  addResource(server, '/api/endpoints', {
    GET: async ({ client }, reply) => {
      const isAdmin = client?.accessType === 'admin';
      const endpoints = modules.registry.list().flatMap((live) => formatEndpoint(live, isAdmin));
      return sendJson(reply, { endpoints });
    },
  });
}
