// How the server is: `/api/status` for any client of ours; `/hello`, `/health` and `/favicon.ico`, public, for load balancers and
// browsers.
import os from 'node:os';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/clients/client.ts';
import { StoreError } from '../../errors/errors.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson, sendText } from '../core/reply.ts';
import { assertReady, requireOwnClient } from '../core/request-access.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { HEALTH, HELLO } from './server-operations.ts';
import { STATUS } from './status-operations.ts';

type Deps = Pick<
  HttpDeps,
  'config' | 'version' | 'sandboxStatus' | 'leakedFiles' | 'serverReport' | 'deployment'
>;

/** Seconds as text: `1d 2h 3m 4s`. */
export function formatUptime(seconds: number): string {
  const whole = Math.floor(seconds);
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor(whole / 3600) % 24;
  const minutes = Math.floor(whole / 60) % 60;
  return `${days}d ${hours}h ${minutes}m ${whole % 60}s`;
}

/** What only admins see: files that were forgotten; the sandbox; the database, caches, queues and limits. */
async function formatForAdmins(
  { sandboxStatus, leakedFiles, serverReport, deployment }: Deps,
  client: Client | null,
) {
  if (client?.accessType !== 'admin') return {};
  const report = await serverReport();
  const { level, missing, selfTest, hosts, processes, jit } = sandboxStatus();
  return {
    leakedFiles: leakedFiles(),
    sandbox: { level, missing, selfTest, hosts, processes, ...(jit === null ? {} : { jit }) },
    processes: deployment.processes(),
    ...report,
  };
}

function formatStatus({ config, version }: Deps) {
  const uptime = process.uptime();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  const { node, v8 } = process.versions;
  return {
    service: {
      site: config.server.name,
      package: 'cloister',
      versions: { current: version, latest: null },
    },
    process: { pid: process.pid, uptime, uptimeFormatted: formatUptime(uptime), versions: { node, v8 } },
    memory: { rss, heapTotal, heapUsed },
    system: {
      platform: process.platform,
      release: os.release(),
      hostname: os.hostname(),
      memory: { free: os.freemem(), total: os.totalmem() },
      load: os.loadavg(),
      uptime: os.uptime(),
      uptimeFormatted: formatUptime(os.uptime()),
    },
    routes: [],
  };
}

/** Registers the status report. Sizes are in bytes, times in seconds. */
export function statusRoutes(server: FastifyInstance, deps: Deps): void {
  server.addHook('onRequest', requireOwnClient);
  const report = async ({ client }: FastifyRequest, reply: FastifyReply) =>
    sendJson(reply, { ...formatStatus(deps), ...(await formatForAdmins(deps, client)) });
  // POST is for clients of older servers.
  const operations = { GET: STATUS, POST: null };
  addResource(server, '/api/status', { GET: report, POST: report }, { operations });
}

interface HealthDeps extends Pick<HttpDeps, 'store' | 'isReady'> {
  /** False while this process may not know what others have changed, and so takes no writes. Absent where none are taken. */
  readonly isConfirmed?: () => boolean;
}

/**
 * Registers `/hello` and `/health`, whatever the `Authorization` header says. `/health` is 503 while the database is away, and after
 * that until this process takes writes again.
 */
export function healthRoutes(server: FastifyInstance, { store, isReady, isConfirmed }: HealthDeps): void {
  const hello: ResourceHandlers = {
    GET: async (_request, reply) => sendText(reply, 'text/plain; charset=utf-8', 'Welcome to API'),
  };
  const health: ResourceHandlers = {
    GET: async (_request, reply) => {
      assertReady(isReady);
      await store.health();
      if (isConfirmed?.() === false) throw new StoreError('unavailable');
      return sendJson(reply, { status: 'ok' });
    },
  };
  addResource(server, '/hello', hello, { operations: { GET: HELLO } });
  addResource(server, '/health', health, { operations: { GET: HEALTH } });
}

/** Registers an empty `/favicon.ico`: public, but rejected with an invalid token. */
export function faviconRoute(server: FastifyInstance): void {
  const handlers: ResourceHandlers = { GET: async (_request, reply) => reply.code(204).send() };
  // For browsers, which ask by themselves.
  addResource(server, '/favicon.ico', handlers, { operations: { GET: null } });
}
