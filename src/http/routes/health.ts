// What load balancers and browsers ask for unprompted: public and without detail.
import type { FastifyInstance } from 'fastify';
import type { HttpDeps } from '../deps.ts';
import { mustBeReady } from '../readiness.ts';
import { sendText, sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

/** Registers `/hello` and `/health` (503 while the database is away), whatever the `Authorization` header says. */
export function healthRoutes(
  server: FastifyInstance,
  { store, isReady }: Pick<HttpDeps, 'store' | 'isReady'>,
): void {
  resource(server, '/hello', {
    GET: async (_request, reply) => sendText(reply, 'text/plain; charset=utf-8', 'Welcome to API'),
  });
  resource(server, '/health', {
    GET: async (_request, reply) => {
      mustBeReady(isReady);
      await store.health();
      return sendValue(reply, { status: 'ok' });
    },
  });
}

/** Registers an empty `/favicon.ico`: public, but to no bad token. */
export function faviconRoute(server: FastifyInstance): void {
  resource(server, '/favicon.ico', { GET: async (_request, reply) => reply.code(204).send() });
}
