// `/api/config`: the main configuration, for admins only.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAnnounce } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, objectBody } from '../body.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

/** More than any configuration needs. */
const BODY_BYTES = 512 * 1024;

/** Registers showing and changing of the configuration; a change is in force after a restart. */
export function apiConfigRoutes(
  server: FastifyInstance,
  { configStore, audit, config }: Pick<HttpDeps, 'configStore' | 'audit' | 'config'>,
): void {
  const announce = createAnnounce(audit);
  const bodyLimit = Math.min(BODY_BYTES, config.limits.jsonBytes);
  acceptPlainJson(server);
  server.addHook('onRequest', requireAdmin);
  const handlers = {
    GET: async (_request: FastifyRequest, reply: FastifyReply) => sendValue(reply, configStore.redacted()),
    POST: async (request: FastifyRequest, reply: FastifyReply) => {
      await configStore.save(objectBody(request), (change, write) =>
        announce(request, { action: 'configuration.change', target: '/api/config', ...change }, write),
      );
      return sendValue(reply, { result: 'success', message: 'server restart required' });
    },
  };
  resource(server, '/api/config', handlers, { bodyLimit });
}
