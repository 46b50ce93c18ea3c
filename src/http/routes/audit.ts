// `/api/audit`: what admins did, for admins only.
import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../authenticate.ts';
import { createDeadline } from '../deadline.ts';
import type { HttpDeps } from '../deps.ts';
import { numberParameter } from '../query-string.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

const ENTRIES_MOST = 1000;

const AFTER = { fallback: 0, what: 'the number of an entry' };

/** Registers reading of the audit log: the entries after number `after`, at most 1,000, oldest first. */
export function auditRoutes(
  server: FastifyInstance,
  { audit, config, now }: Pick<HttpDeps, 'audit' | 'config' | 'now'>,
): void {
  const deadline = createDeadline({ config, now });
  server.addHook('onRequest', requireAdmin);
  resource(server, '/api/audit', {
    GET: async (request, reply) => {
      const after = numberParameter(request.originalUrl, 'after', AFTER);
      const entries = await audit.read(after, ENTRIES_MOST, { deadline: deadline(request) });
      return sendValue(reply, { audit: entries });
    },
  });
}
