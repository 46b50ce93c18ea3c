// Custom endpoints: their list, their calls, and what admins do with them below `/{version}/{endpoint}`.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import {
  type LiveModule,
  type ModuleAddress,
  moduleKey,
  type PendingVersion,
} from '../../modules/model/module-types.ts';
import type { CustomCodeDeps, HttpDeps } from '../core/http-deps.ts';
import { ENDPOINT_ADMIN_PATH } from '../core/internal-paths.ts';
import { sendJson } from '../core/reply.ts';
import { requireAdmin, requireOwnClient, unknownPathError } from '../core/request-access.ts';
import { addResource, type RequestGuard, type ResourceHandlers } from '../core/resource.ts';
import type { UrlRewriter } from '../core/url-rewrite.ts';
import { endpointCallRoute } from './endpoint-call-route.ts';
import { type ModuleRoutesDeps, moduleCodeRoutes } from './module-code-routes.ts';
import { ENDPOINT_OPERATIONS, LIST_ENDPOINTS } from './module-operations.ts';
import { moduleRoutes } from './module-routes.ts';
import { mayReadPending, requireAdminOrReviewer } from './reviewer-access.ts';

type Deps = ModuleRoutesDeps & Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'isReady'>;

/** The endpoint that a path names, whether or not it exists. */
function addressFromParams({ params }: FastifyRequest): ModuleAddress {
  const { version = '', endpoint = '' } = params as Readonly<Record<string, string | undefined>>;
  return { kind: 'endpoint', apiVersion: version, name: endpoint };
}

/** Registers calls, sub-resources, and the address to which the code of a new endpoint is posted. */
export function endpointRoutes(server: FastifyInstance, deps: Deps, urls: UrlRewriter): void {
  const matchedAddress = (request: FastifyRequest): ModuleAddress => {
    const match = urls.endpointOf(request.raw);
    if (match === undefined) throw new AppError('NOT_FOUND');
    return match.endpoint.address;
  };
  // Whoever types an internal address finds nothing there.
  const requireMatch: RequestGuard = (request, _reply, done) => {
    if (urls.endpointOf(request.raw) !== undefined) done();
    else done(unknownPathError(request));
  };
  server.register(async (scope) => endpointCallRoute(scope, deps, urls));
  server.register(async (below) => {
    below.addHook('onRequest', requireMatch);
    below.addHook('onRequest', requireAdminOrReviewer);
    const operations = ENDPOINT_OPERATIONS;
    const place = { base: ENDPOINT_ADMIN_PATH, addressOf: matchedAddress, operations };
    moduleRoutes(below, deps, place);
    const code = { url: `${ENDPOINT_ADMIN_PATH}/config`, addressOf: matchedAddress, puts: false, operations };
    below.register(async (scope) => moduleCodeRoutes(scope, deps, code));
  });
  server.register(async (scope) => {
    scope.addHook('onRequest', requireAdmin);
    moduleCodeRoutes(scope, deps, {
      url: '/:version/:endpoint/config',
      addressOf: addressFromParams,
      puts: false,
      // Described with the code of existing endpoints: clients see one path.
      operations: null,
    });
  });
}

interface ListOptions {
  readonly isAdmin: boolean;
  /** Undefined for callers who may not see what waits. */
  readonly pending: ReadonlyMap<string, readonly PendingVersion[]> | undefined;
}

function formatEndpoint(
  { address, displayName, path, methods, state, suspension, postedAt }: LiveModule,
  { isAdmin, pending }: ListOptions,
) {
  if (address.kind !== 'endpoint') return [];
  const { apiVersion: version, name: slug } = address;
  const name = displayName ?? slug;
  // Only admins see why an endpoint is suspended.
  const suspended = isAdmin && suspension !== undefined ? { suspension } : {};
  const waiting = pending === undefined ? {} : { pending: pending.get(moduleKey(address)) ?? [] };
  return [{ version, name, slug, path, methods, state, ...suspended, ...waiting, lastModifiedAt: postedAt }];
}

/** Registers the listing, sorted by path. */
export function endpointListRoutes(
  server: FastifyInstance,
  { modules }: Pick<CustomCodeDeps, 'modules'>,
): void {
  server.addHook('onRequest', requireOwnClient);
  const handlers: ResourceHandlers = {
    GET: async (request, reply) => {
      const isAdmin = request.client?.accessType === 'admin';
      const pending = mayReadPending(request) ? await modules.pending() : undefined;
      const listed = modules.registry.list();
      const endpoints = listed.flatMap((live) => formatEndpoint(live, { isAdmin, pending }));
      const limits = pending === undefined ? {} : { policyLimits: modules.policyLimits };
      return sendJson(reply, { endpoints, ...limits });
    },
  };
  addResource(server, '/api/endpoints', handlers, { operations: { GET: LIST_ENDPOINTS } });
}
