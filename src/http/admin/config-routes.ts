// `/api/config`: shows and changes the main configuration, for admins only.
import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access/authenticate.ts';
import { createAuditedChange } from '../core/audited-change.ts';
import { acceptTextAsJson, bodyLimit, jsonObjectBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';

/** Registers the configuration. Changes take effect after a restart. */
export function configRoutes(
  server: FastifyInstance,
  { configStore, audit, config }: Pick<HttpDeps, 'configStore' | 'audit' | 'config'>,
): void {
  const announce = createAuditedChange(audit);
  const { jsonBytes, jsonValues } = config.limits;
  acceptTextAsJson(server, { maxValues: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: ResourceHandlers = {
    GET: async (_request, reply) => sendJson(reply, configStore.redacted()),
    POST: async (request, reply) => {
      await configStore.save(jsonObjectBody(request), (change, write) =>
        announce(request, { action: 'configuration.change', target: '/api/config', ...change }, write),
      );
      return sendJson(reply, { result: 'success', message: 'server restart required' });
    },
  };
  addResource(server, '/api/config', handlers, { bodyLimit: bodyLimit('config', jsonBytes) });
}
