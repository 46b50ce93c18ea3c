// `/api/clients`: client records, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/client.ts';
import { AppError } from '../../errors.ts';
import { requireAdmin } from '../authenticate.ts';
import { objectBody } from '../body.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

type Deps = Pick<HttpDeps, 'clients'>;

const idOf = (request: FastifyRequest) => (request.params as { readonly id: string }).id;

/** What anyone may see of a record; `secret` only when it was just generated. */
function shown({ clientId, accessType, permissions }: Client, secret?: string) {
  return {
    clientId,
    accessType,
    ...(permissions === null ? {} : { permissions }),
    ...(secret === undefined ? {} : { secret }),
  };
}

/** Registers the administration of clients. */
export function clientRoutes(server: FastifyInstance, { clients }: Deps): void {
  server.addHook('onRequest', requireAdmin);
  resource(server, '/api/clients', {
    GET: async (_request, reply) => {
      const all = await clients.list();
      return sendValue(reply, { results: all.map((client) => shown(client)) });
    },
    POST: async (request, reply) => {
      const { client, secret } = await clients.create(objectBody(request));
      return sendValue(reply, { results: [shown(client, secret)] }, 201);
    },
  });
  resource(server, '/api/clients/:id', {
    GET: async (request, reply) => {
      const client = await clients.find(idOf(request));
      if (client === undefined) throw new AppError('NOT_FOUND');
      return sendValue(reply, { results: [shown(client)] });
    },
    PUT: async (request, reply) => {
      const client = await clients.update(idOf(request), objectBody(request));
      return sendValue(reply, { results: [shown(client)] });
    },
    DELETE: async (request, reply) => {
      await clients.remove(idOf(request));
      return reply.code(204).send();
    },
  });
  secretRoute(server, { clients });
}

function secretRoute(server: FastifyInstance, { clients }: Deps): void {
  resource(server, '/api/clients/:id/secret', {
    PUT: async (request, reply) => {
      const chosen = request.body === undefined ? undefined : objectBody(request)['secret'];
      const { client, secret } = await clients.setSecret(idOf(request), chosen);
      return sendValue(reply, { results: [shown(client, secret)] });
    },
  });
}
