// `/api/clients`: client records, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/client.ts';
import { AppError } from '../../errors.ts';
import { createNote, fingerprintOf } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { objectBody } from '../body.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';

type Deps = Pick<HttpDeps, 'clients' | 'audit'>;

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

const stateOf = (client: Client | undefined) => (client === undefined ? null : fingerprintOf(shown(client)));

/** Registers the administration of clients. */
export function clientRoutes(server: FastifyInstance, { clients, audit }: Deps): void {
  const note = createNote(audit);
  server.addHook('onRequest', requireAdmin);
  resource(server, '/api/clients', {
    GET: async (_request, reply) => {
      const all = await clients.list();
      return sendValue(reply, { results: all.map((client) => shown(client)) });
    },
    POST: async (request, reply) => {
      const { client, secret } = await clients.create(objectBody(request));
      const { clientId: target } = client;
      await note(request, { action: 'client.create', target, before: null, after: stateOf(client) });
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
      const target = idOf(request);
      const before = stateOf(await clients.find(target));
      const client = await clients.update(target, objectBody(request));
      await note(request, { action: 'client.update', target, before, after: stateOf(client) });
      return sendValue(reply, { results: [shown(client)] });
    },
    DELETE: async (request, reply) => {
      const target = idOf(request);
      const before = stateOf(await clients.find(target));
      await clients.remove(target);
      await note(request, { action: 'client.remove', target, before, after: null });
      return reply.code(204).send();
    },
  });
  secretRoute(server, { clients, audit });
}

function secretRoute(server: FastifyInstance, { clients, audit }: Deps): void {
  const note = createNote(audit);
  resource(server, '/api/clients/:id/secret', {
    PUT: async (request, reply) => {
      const chosen = request.body === undefined ? undefined : objectBody(request)['secret'];
      const target = idOf(request);
      const { client, secret } = await clients.setSecret(target, chosen);
      // The secret is no part of the state: its hash belongs nowhere else.
      const state = stateOf(client);
      await note(request, { action: 'client.secret', target, before: state, after: state });
      return sendValue(reply, { results: [shown(client, secret)] });
    },
  });
}
