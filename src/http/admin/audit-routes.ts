// `/api/audit`: the audit log and its verification, for admins only.

import type { FastifyInstance } from 'fastify';
import type { AuditReport } from '../../auth/audit/audit-verify.ts';
import { createParameterError } from '../../collections/model/read-parameters.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { requireAdmin } from '../core/request-access.ts';
import { createRequestDeadline } from '../core/request-context.ts';
import { parseNumberParameter, parseTextParameter } from '../core/request-url.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { AUDIT, VERIFY_AUDIT } from './audit-operations.ts';

const MAX_ENTRIES = 1000;
/** Entries that one request verifies; the next one goes on from there. */
const MAX_VERIFIED = 5000;

const ENTRY = 'the number of an entry';

/** The number of an entry; undefined where the URL gives none. */
function entryNumber(url: string, name: string): number | undefined {
  const number = parseNumberParameter(url, name, { fallback: -1, what: ENTRY });
  return number === -1 ? undefined : number;
}

/** True for `newest`, false for `oldest` and without the parameter. Throws PARAMETER_INVALID for anything else. */
function isNewestFirst(url: string): boolean {
  const order = parseTextParameter(url, 'order') ?? 'oldest';
  if (order === 'newest' || order === 'oldest') return order === 'newest';
  throw createParameterError('order', 'The `order` parameter must be `newest` or `oldest`');
}

/** At least 1, at most 1,000. */
function entryLimit(url: string): number {
  const what = `a number from 1 to ${MAX_ENTRIES}`;
  const limit = parseNumberParameter(url, 'limit', { fallback: MAX_ENTRIES, what });
  if (limit >= 1) return Math.min(limit, MAX_ENTRIES);
  throw createParameterError('limit', `The \`limit\` parameter must be ${what}`);
}

/** Null for the empty text: changes that no client made. */
function clientOf(url: string): string | null | undefined {
  const clientId = parseTextParameter(url, 'clientId');
  return clientId === '' ? null : clientId;
}

function formatReport({ count, first, last, keys, isAnchored, issue, unknownKey }: AuditReport) {
  const place = (entry: AuditReport['last']) => entry && { seq: entry.seq, at: entry.at };
  const isComplete = issue !== undefined || unknownKey !== undefined || count < MAX_VERIFIED;
  return { count, first: place(first), last: place(last), keys, isAnchored, isComplete, issue, unknownKey };
}

/** Registers reading and verifying the audit log. */
export function auditRoutes(
  server: FastifyInstance,
  { audit, config, now }: Pick<HttpDeps, 'audit' | 'config' | 'now'>,
): void {
  const deadline = createRequestDeadline({ config, now });
  server.addHook('onRequest', requireAdmin);
  const entries: ResourceHandlers = {
    GET: async (request, reply) => {
      const { originalUrl: url } = request;
      const search = {
        after: entryNumber(url, 'after'),
        before: entryNumber(url, 'before'),
        clientId: clientOf(url),
        action: parseTextParameter(url, 'action'),
        target: parseTextParameter(url, 'target'),
      };
      const page = { newestFirst: isNewestFirst(url), limit: entryLimit(url) };
      return sendJson(reply, { audit: await audit.search(search, page, { deadline: deadline(request) }) });
    },
  };
  const verification: ResourceHandlers = {
    GET: async (request, reply) => {
      const after = entryNumber(request.originalUrl, 'after') ?? 0;
      return sendJson(reply, formatReport(await audit.verify({ after, limit: MAX_VERIFIED })));
    },
  };
  addResource(server, '/api/audit', entries, { operations: { GET: AUDIT } });
  addResource(server, '/api/audit/verify', verification, { operations: { GET: VERIFY_AUDIT } });
}
