// `/api/hooks`: the hooks that collections may name, for admins; what waits for review, for reviewers too.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { LiveModule, ModuleAddress } from '../../endpoints/modules.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';
import { requireAdminOrReviewer } from '../review.ts';
import { type ModuleDeps, moduleCodeRoutes } from './module-code.ts';
import { moduleRoutes } from './modules.ts';

const BASE = '/api/hooks/:name';

function addressOf({ params }: FastifyRequest): ModuleAddress {
  return { kind: 'hook', name: (params as { readonly name: string }).name };
}

function listed({ address, path, state, suspension, postedAt }: LiveModule) {
  if (address.kind !== 'hook') return [];
  return [{ name: address.name, path, state, ...(suspension && { suspension }), lastModifiedAt: postedAt }];
}

/** Registers the listing, sorted by path, and what can be done with a hook. */
export function hookRoutes(server: FastifyInstance, deps: ModuleDeps): void {
  const { modules } = deps;
  server.addHook('onRequest', requireAdminOrReviewer);
  resource(server, '/api/hooks', {
    GET: async (_request, reply) => sendValue(reply, { hooks: modules.registry.list().flatMap(listed) }),
  });
  server.register(async (scope) => moduleRoutes(scope, deps, { base: BASE, addressOf }));
  server.register(async (scope) =>
    moduleCodeRoutes(scope, deps, { url: `${BASE}/config`, addressOf, puts: true }),
  );
}
