// `/api/clients`: client records, for admins only.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/client.ts';
import { AppError } from '../../errors.ts';
import { createNote, fingerprintOf } from '../admin-actions.ts';
import { requireAdmin } from '../authenticate.ts';
import { objectBody } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { createDeadline } from '../deadline.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';

type Deps = Pick<HttpDeps, 'clients' | 'audit' | 'config' | 'now'>;

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

/** Makes the function that says how long the calls of one request may take together. */
function createWithin(deps: Deps) {
  const deadline = createDeadline(deps);
  return (request: FastifyRequest) => ({ deadline: deadline(request) });
}

/** Registers the administration of clients. */
export function clientRoutes(server: FastifyInstance, deps: Deps): void {
  const { clients, audit } = deps;
  const note = createNote(audit);
  const within = createWithin(deps);
  server.addHook('onRequest', requireAdmin);
  const limits = { bodyLimit: bodyLimit('client', deps.config.limits.jsonBytes) };
  const all: Handlers = {
    GET: async (request, reply) => {
      const listed = await clients.list(within(request));
      return sendValue(reply, { results: listed.map((client) => shown(client)) });
    },
    POST: async (request, reply) => {
      const options = within(request);
      const { client, secret } = await clients.create(objectBody(request), options);
      const change = {
        action: 'client.create',
        target: client.clientId,
        before: null,
        after: stateOf(client),
      };
      await note(request, change, options);
      return sendValue(reply, { results: [shown(client, secret)] }, 201);
    },
  };
  const one: Handlers = {
    GET: async (request, reply) => {
      const client = await clients.find(idOf(request), within(request));
      if (client === undefined) throw new AppError('NOT_FOUND');
      return sendValue(reply, { results: [shown(client)] });
    },
    PUT: async (request, reply) => {
      const options = within(request);
      const target = idOf(request);
      const before = stateOf(await clients.find(target, options));
      const client = await clients.update(target, objectBody(request), options);
      await note(request, { action: 'client.update', target, before, after: stateOf(client) }, options);
      return sendValue(reply, { results: [shown(client)] });
    },
    DELETE: async (request, reply) => {
      const options = within(request);
      const target = idOf(request);
      const before = stateOf(await clients.find(target, options));
      await clients.remove(target, options);
      await note(request, { action: 'client.remove', target, before, after: null }, options);
      return reply.code(204).send();
    },
  };
  resource(server, '/api/clients', all, limits);
  resource(server, '/api/clients/:id', one, limits);
  secretRoute(server, deps);
}

function secretRoute(server: FastifyInstance, deps: Deps): void {
  const { clients, audit } = deps;
  const note = createNote(audit);
  const within = createWithin(deps);
  resource(server, '/api/clients/:id/secret', {
    PUT: async (request, reply) => {
      const chosen = request.body === undefined ? undefined : objectBody(request)['secret'];
      const target = idOf(request);
      const options = within(request);
      const { client, secret } = await clients.setSecret(target, chosen, options);
      // The secret is no part of the state: its hash belongs nowhere else.
      const state = stateOf(client);
      await note(request, { action: 'client.secret', target, before: state, after: state }, options);
      return sendValue(reply, { results: [shown(client, secret)] });
    },
  });
}
