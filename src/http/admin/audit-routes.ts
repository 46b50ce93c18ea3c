// `/api/audit`: the audit log, for admins only.
import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../access/authenticate.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { createRequestDeadline } from '../core/request-context.ts';
import { parseNumberParameter } from '../core/request-url.ts';
import { addResource } from '../core/resource.ts';

const MAX_ENTRIES = 1000;

const AFTER = { fallback: 0, what: 'the number of an entry' };

/** Registers reading the audit log: the entries after number `after`, at most 1,000, oldest first. */
export function auditRoutes(
  server: FastifyInstance,
  { audit, config, now }: Pick<HttpDeps, 'audit' | 'config' | 'now'>,
): void {
  const deadline = createRequestDeadline({ config, now });
  server.addHook('onRequest', requireAdmin);
  addResource(server, '/api/audit', {
    GET: async (request, reply) => {
      const after = parseNumberParameter(request.originalUrl, 'after', AFTER);
      const entries = await audit.read(after, MAX_ENTRIES, { deadline: deadline(request) });
      return sendJson(reply, { audit: entries });
    },
  });
}
