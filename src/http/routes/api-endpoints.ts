// `/api/endpoints`: which custom endpoints there are, for any valid token.
import type { FastifyInstance } from 'fastify';
import type { LiveModule } from '../../endpoints/modules.ts';
import { requireClient } from '../authenticate.ts';
import type { CustomCodeDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

function listed(
  { address, displayName, path, methods, state, suspension, postedAt }: LiveModule,
  isAdmin: boolean,
) {
  if (address.kind !== 'endpoint') return [];
  const { apiVersion: version, name: slug } = address;
  const name = displayName ?? slug;
  // Who suspends what is for admins to know.
  const held = isAdmin && suspension !== undefined ? { suspension } : {};
  return [{ version, name, slug, path, methods, state, ...held, lastModifiedAt: postedAt }];
}

/** Registers the listing, sorted by path. */
export function apiEndpointsRoutes(
  server: FastifyInstance,
  { modules }: Pick<CustomCodeDeps, 'modules'>,
): void {
  server.addHook('onRequest', requireClient);
  resource(server, '/api/endpoints', {
    GET: async ({ client }, reply) => {
      const isAdmin = client?.accessType === 'admin';
      const endpoints = modules.registry.list().flatMap((live) => listed(live, isAdmin));
      return sendValue(reply, { endpoints });
    },
  });
}
