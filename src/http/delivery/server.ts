// The delivery listener's HTTP server: tokens and health for everybody, `/api` for admins, every other address for files.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { createAuthenticate, type Hook, requireAdmin } from '../authenticate.ts';
import { acceptJson } from '../body.ts';
import { createConnections } from '../connections.ts';
import { createFramework } from '../framework.ts';
import { createOnSend } from '../on-send.ts';
import { anyMethod } from '../resource.ts';
import { healthRoutes } from '../routes/health.ts';
import { tokenRoutes } from '../routes/token.ts';
import { definitionRoutes } from './definition-routes.ts';
import type { DeliveryDeps } from './deps.ts';
import { createDeliveryErrorHandler } from './errors.ts';
import { fileRoute } from './file-route.ts';
import { flushRoute } from './flush-route.ts';

/** What admins see is for nobody else. */
const forbidKeeping: Hook = (_request, reply, done) => {
  reply.header('Cache-Control', 'no-store');
  done();
};

/** What nothing lives at is told to admins alone. */
function unknownApiAddresses(server: FastifyInstance): void {
  for (const url of ['/api', '/api/*']) {
    anyMethod(server, url, () => {
      throw new AppError('NOT_FOUND');
    });
  }
}

/** Builds the server. It does not listen yet; `inject` works. */
export function createDeliveryServer(deps: DeliveryDeps): FastifyInstance {
  const { config, logger, unsent } = deps;
  const { limits } = config;
  const connections = createConnections({ limits, unsent, logger, now: () => performance.now() });
  const server = createFramework(deps, { connections, onError: createDeliveryErrorHandler(logger) });
  server.addHook('onSend', createOnSend(connections));
  acceptJson(server, limits.jsonValues);

  server.register(async (scope) => tokenRoutes(scope, deps));
  server.register(async (scope) => healthRoutes(scope, deps));
  server.register(async (known) => {
    known.addHook('onRequest', forbidKeeping);
    known.addHook('onRequest', createAuthenticate(deps));
    known.addHook('onRequest', requireAdmin);
    known.register(async (scope) => definitionRoutes(scope, deps));
    known.register(async (scope) => flushRoute(scope, deps));
    known.register(async (scope) => unknownApiAddresses(scope));
  });
  server.register(async (scope) => fileRoute(scope, deps.deliver));
  return server;
}
