// `/hello`, `/health` and `/favicon.ico`: public, for load balancers and browsers.
import type { FastifyInstance } from 'fastify';
import { assertReady } from '../access/authenticate.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson, sendText } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';

/** Registers `/hello` and `/health` (503 while the database is away), whatever the `Authorization` header says. */
export function healthRoutes(
  server: FastifyInstance,
  { store, isReady }: Pick<HttpDeps, 'store' | 'isReady'>,
): void {
  addResource(server, '/hello', {
    GET: async (_request, reply) => sendText(reply, 'text/plain; charset=utf-8', 'Welcome to API'),
  });
  addResource(server, '/health', {
    GET: async (_request, reply) => {
      assertReady(isReady);
      await store.health();
      return sendJson(reply, { status: 'ok' });
    },
  });
}

/** Registers an empty `/favicon.ico`: public, but rejected with an invalid token. */
export function faviconRoute(server: FastifyInstance): void {
  addResource(server, '/favicon.ico', { GET: async (_request, reply) => reply.code(204).send() });
}
