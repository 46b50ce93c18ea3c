// `/api/clients`: client records, for admins only; nobody becomes or loses a reviewer here.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/client.ts';
import { shownClient } from '../../auth/client-record.ts';
import { AppError } from '../../errors.ts';
import { type Hook, requireAdmin } from '../authenticate.ts';
import { objectBody } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { createDeadline } from '../deadline.ts';
import type { HttpDeps } from '../deps.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';

type Deps = Pick<HttpDeps, 'clients' | 'config' | 'now'>;

const idOf = (request: FastifyRequest) => (request.params as { readonly id: string }).id;

const SECRET_URL = '/api/clients/:id/secret';

/** Hook: an admin's token is needed. A reviewer, whom no admin can help, changes its own secret with its own. */
const requireAdminOrOwner: Hook = (request, reply, done) => {
  const { client, method, routeOptions } = request;
  const isSecret = method === 'PUT' && routeOptions.url === SECRET_URL;
  if (isSecret && client?.reviewer === true && client.clientId === idOf(request)) done();
  else requireAdmin(request, reply, done);
};

/** What anyone may see of a record; `secret` only when it was just generated. */
function shown(client: Client, secret?: string) {
  return { ...shownClient(client), ...(secret === undefined ? {} : { secret }) };
}

/** Makes the function that says how long the calls of one request may take together, and who makes them. */
function createWithin(deps: Deps) {
  const deadline = createDeadline(deps);
  return (request: FastifyRequest) => {
    const by = request.client?.clientId;
    return { deadline: deadline(request), ...(by === undefined ? {} : { by }) };
  };
}

/** Registers the administration of clients. */
export function clientRoutes(server: FastifyInstance, deps: Deps): void {
  const { clients } = deps;
  const within = createWithin(deps);
  server.addHook('onRequest', requireAdminOrOwner);
  const limits = { bodyLimit: bodyLimit('client', deps.config.limits.jsonBytes) };
  const all: Handlers = {
    GET: async (request, reply) => {
      const listed = await clients.list(within(request));
      return sendValue(reply, { results: listed.map((client) => shown(client)) });
    },
    POST: async (request, reply) => {
      const { client, secret } = await clients.create(objectBody(request), within(request));
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
      const client = await clients.update(idOf(request), objectBody(request), within(request));
      return sendValue(reply, { results: [shown(client)] });
    },
    DELETE: async (request, reply) => {
      await clients.remove(idOf(request), within(request));
      return reply.code(204).send();
    },
  };
  resource(server, '/api/clients', all, limits);
  resource(server, '/api/clients/:id', one, limits);
  resource(server, SECRET_URL, {
    PUT: async (request, reply) => {
      const chosen = request.body === undefined ? undefined : objectBody(request)['secret'];
      const { client, secret } = await clients.setSecret(idOf(request), chosen, within(request));
      return sendValue(reply, { results: [shown(client, secret)] });
    },
  });
}
