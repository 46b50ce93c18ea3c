// `/api/config`: the main configuration, for admins only.
import type { FastifyInstance } from 'fastify';
import { createAnnounce } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, objectBody } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';

/** Registers showing and changing of the configuration; a change is in force after a restart. */
export function apiConfigRoutes(
  server: FastifyInstance,
  { configStore, audit, config }: Pick<HttpDeps, 'configStore' | 'audit' | 'config'>,
): void {
  const announce = createAnnounce(audit);
  const { jsonBytes, jsonValues } = config.limits;
  acceptPlainJson(server, { values: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: Handlers = {
    GET: async (_request, reply) => sendValue(reply, configStore.redacted()),
    POST: async (request, reply) => {
      await configStore.save(objectBody(request), (change, write) =>
        announce(request, { action: 'configuration.change', target: '/api/config', ...change }, write),
      );
      return sendValue(reply, { result: 'success', message: 'server restart required' });
    },
  };
  resource(server, '/api/config', handlers, { bodyLimit: bodyLimit('config', jsonBytes) });
}
