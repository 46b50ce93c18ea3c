// Everything about custom endpoints: their calls, and what admins do with them below `/{version}/{endpoint}`.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { noToken } from '../../auth/challenge.ts';
import type { ModuleAddress } from '../../endpoints/modules.ts';
import { AppError } from '../../errors.ts';
import { type Hook, requireAdmin } from '../authenticate.ts';
import type { CustomCodeDeps, HttpDeps } from '../deps.ts';
import { type EndpointAddresses, SUB_RESOURCES_PATH } from '../endpoint-address.ts';
import { requireAdminOrReviewer } from '../review.ts';
import { endpointCallRoutes } from './endpoint-calls.ts';
import { type ModuleDeps, moduleCodeRoutes } from './module-code.ts';
import { moduleRoutes } from './modules.ts';

type Deps = ModuleDeps & Pick<CustomCodeDeps, 'calls'> & Pick<HttpDeps, 'isReady'>;

/** The endpoint that a path names, whether or not it exists. */
function namedAddress({ params }: FastifyRequest): ModuleAddress {
  const { version = '', endpoint = '' } = params as Readonly<Record<string, string | undefined>>;
  return { kind: 'endpoint', apiVersion: version, name: endpoint };
}

/** Registers calls, sub-resources, and the address to which the code of a new endpoint is posted. */
export function endpointRoutes(server: FastifyInstance, deps: Deps, addresses: EndpointAddresses): void {
  const matchedAddress = (request: FastifyRequest): ModuleAddress => {
    const match = addresses.matchOf(request.raw);
    if (match === undefined) throw new AppError('NOT_FOUND');
    return match.endpoint.address;
  };
  // Whoever types an internal address finds nothing there.
  const requireMatch: Hook = (request, _reply, done) => {
    if (addresses.matchOf(request.raw) !== undefined) done();
    else done(request.client === null ? noToken() : new AppError('NOT_FOUND'));
  };
  server.register(async (scope) => endpointCallRoutes(scope, deps, addresses));
  server.register(async (below) => {
    below.addHook('onRequest', requireMatch);
    below.addHook('onRequest', requireAdminOrReviewer);
    const place = { base: SUB_RESOURCES_PATH, addressOf: matchedAddress };
    below.register(async (scope) => moduleRoutes(scope, deps, place));
    const code = { url: `${SUB_RESOURCES_PATH}/config`, addressOf: matchedAddress, puts: false };
    below.register(async (scope) => moduleCodeRoutes(scope, deps, code));
  });
  server.register(async (scope) => {
    scope.addHook('onRequest', requireAdmin);
    moduleCodeRoutes(scope, deps, {
      url: '/:version/:endpoint/config',
      addressOf: namedAddress,
      puts: false,
    });
  });
}
