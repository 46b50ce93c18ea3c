// `/api/config`: the main configuration, for admins only.
import type { FastifyInstance } from 'fastify';
import { createNote } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { acceptPlainJson, objectBody } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';

/** Registers showing and changing of the configuration; a change is in force after a restart. */
export function apiConfigRoutes(
  server: FastifyInstance,
  { configStore, audit, store, config }: Pick<HttpDeps, 'configStore' | 'audit' | 'store' | 'config'>,
): void {
  const note = createNote(audit);
  const { jsonBytes, jsonValues } = config.limits;
  acceptPlainJson(server, { values: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: Handlers = {
    GET: async (_request, reply) => sendValue(reply, configStore.redacted()),
    POST: async (request, reply) => {
      // What cannot be noted is not done.
      await store.health();
      const { before, after } = await configStore.save(objectBody(request));
      await note(request, { action: 'configuration.change', target: '/api/config', before, after });
      return sendValue(reply, { result: 'success', message: 'server restart required' });
    },
  };
  resource(server, '/api/config', handlers, { bodyLimit: bodyLimit('config', jsonBytes) });
}
