// `/api/audit`: what admins did, for admins only.
import type { FastifyInstance } from 'fastify';
import { refuseParameter } from '../../collections/parameter-error.ts';
import { requireAdmin } from '../authenticate.ts';
import type { HttpDeps } from '../deps.ts';
import { queryText } from '../query-string.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

const ENTRIES_MOST = 1000;

function startOf(url: string): number {
  const [text = '0', ...more] = new URLSearchParams(queryText(url)).getAll('after');
  if (/^\d{1,15}$/.test(text) && more.length === 0) return Number(text);
  throw refuseParameter('after', 'The `after` parameter must be the number of an entry');
}

/** Registers reading of the audit log: the entries after number `after`, at most 1,000, oldest first. */
export function auditRoutes(server: FastifyInstance, { audit }: Pick<HttpDeps, 'audit'>): void {
  server.addHook('onRequest', requireAdmin);
  resource(server, '/api/audit', {
    GET: async (request, reply) =>
      sendValue(reply, { audit: await audit.read(startOf(request.url), ENTRIES_MOST) }),
  });
}
