// `/api/hooks`: the hooks that collections may name, for admins; pending versions for reviewers too.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type LiveModule,
  type ModuleAddress,
  moduleKey,
  type PendingVersion,
} from '../../modules/model/module-types.ts';
import { sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { type ModuleRoutesDeps, moduleCodeRoutes } from './module-code-routes.ts';
import { HOOK_OPERATIONS, LIST_HOOKS } from './module-operations.ts';
import { moduleRoutes } from './module-routes.ts';
import { requireAdminOrReviewer } from './reviewer-access.ts';

const HOOK_URL = '/api/hooks/:name';

function addressOf({ params }: FastifyRequest): ModuleAddress {
  return { kind: 'hook', name: (params as { readonly name: string }).name };
}

function formatHook(
  { address, path, state, suspension, postedAt }: LiveModule,
  pending: ReadonlyMap<string, readonly PendingVersion[]>,
) {
  if (address.kind !== 'hook') return [];
  const suspended = suspension === undefined ? {} : { suspension };
  const waiting = pending.get(moduleKey(address)) ?? [];
  return [{ name: address.name, path, state, ...suspended, pending: waiting, lastModifiedAt: postedAt }];
}

/** Registers the list of hooks, sorted by path, and the administration of each. */
export function hookRoutes(server: FastifyInstance, deps: ModuleRoutesDeps): void {
  const { modules } = deps;
  server.addHook('onRequest', requireAdminOrReviewer);
  const handlers: ResourceHandlers = {
    GET: async (_request, reply) => {
      const pending = await modules.pending();
      const hooks = modules.registry.list().flatMap((live) => formatHook(live, pending));
      return sendJson(reply, { hooks, policyLimits: modules.policyLimits });
    },
  };
  const operations = HOOK_OPERATIONS;
  addResource(server, '/api/hooks', handlers, { operations: { GET: LIST_HOOKS } });
  moduleRoutes(server, deps, { base: HOOK_URL, addressOf, operations });
  server.register(async (scope) =>
    moduleCodeRoutes(scope, deps, { url: `${HOOK_URL}/config`, addressOf, puts: true, operations }),
  );
}
