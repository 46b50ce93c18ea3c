// `/api/clients`: client records, for admins only. The reviewer right is granted on the machine, not here.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Client } from '../../auth/clients/client.ts';
import { toPublicClient } from '../../auth/clients/client-record.ts';
import { AppError } from '../../errors/errors.ts';
import { bodyLimit, jsonObjectBody } from '../core/body-parsers.ts';
import { assertExpectedState, sendEntityTag } from '../core/entity-tags.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { requireAdmin } from '../core/request-access.ts';
import { actorOf, createRequestDeadline } from '../core/request-context.ts';
import { addResource, type RequestGuard, type ResourceHandlers } from '../core/resource.ts';
import { CLIENT_OPERATIONS } from './access-operations.ts';

type Deps = Pick<HttpDeps, 'clients' | 'config' | 'now'>;

const clientIdOf = (request: FastifyRequest) => (request.params as { readonly id: string }).id;

const SECRET_URL = '/api/clients/:id/secret';

/** Guard: rejects everybody but admins, and reviewers who change their own secret, which no admin can do for them. */
const requireAdminOrOwner: RequestGuard = (request, reply, done) => {
  const { client, method, routeOptions } = request;
  const isSecret = method === 'PUT' && routeOptions.url === SECRET_URL;
  if (isSecret && client?.reviewer === true && client.clientId === clientIdOf(request)) done();
  else requireAdmin(request, reply, done);
};

/** A record without its secrets; `secret` only when it was just generated. */
function formatClient(client: Client, secret?: string) {
  return { ...toPublicClient(client), ...(secret === undefined ? {} : { secret }) };
}

/** Makes the function that gives the deadline and the caller of one request. */
function createCallOptions(deps: Deps) {
  const deadline = createRequestDeadline(deps);
  return (request: FastifyRequest) => ({ deadline: deadline(request), actor: actorOf(request) });
}

/** Registers the administration of clients. */
export function clientRoutes(server: FastifyInstance, deps: Deps): void {
  const { clients } = deps;
  const within = createCallOptions(deps);
  const asExpected = (request: FastifyRequest) => ({
    ...within(request),
    check: (client: Client) => assertExpectedState(request, formatClient(client)),
  });
  server.addHook('onRequest', requireAdminOrOwner);
  const limit = bodyLimit('client', deps.config.limits.jsonBytes);
  const { list, create, get, update, remove, setSecret } = CLIENT_OPERATIONS;
  const all: ResourceHandlers = {
    GET: async (request, reply) => {
      const listed = await clients.list(within(request));
      return sendJson(reply, { results: listed.map((client) => formatClient(client)) });
    },
    POST: async (request, reply) => {
      const { client, secret } = await clients.create(jsonObjectBody(request), within(request));
      return sendJson(reply, { results: [formatClient(client, secret)] }, 201);
    },
  };
  const byId: ResourceHandlers = {
    GET: async (request, reply) => {
      const client = await clients.find(clientIdOf(request), within(request));
      if (client === undefined) throw new AppError('NOT_FOUND');
      const state = formatClient(client);
      return sendJson(sendEntityTag(reply, state), { results: [state] });
    },
    PUT: async (request, reply) => {
      const client = await clients.update(clientIdOf(request), jsonObjectBody(request), asExpected(request));
      return sendJson(reply, { results: [formatClient(client)] });
    },
    DELETE: async (request, reply) => {
      await clients.remove(clientIdOf(request), asExpected(request));
      return reply.code(204).send();
    },
  };
  addResource(server, '/api/clients', all, { operations: { GET: list, POST: create }, bodyLimit: limit });
  addResource(server, '/api/clients/:id', byId, {
    operations: { GET: get, PUT: update, DELETE: remove },
    bodyLimit: limit,
    handlesPreconditions: true,
  });
  const secret: ResourceHandlers = {
    PUT: async (request, reply) => {
      const chosen = request.body === undefined ? undefined : jsonObjectBody(request)['secret'];
      const { client, secret } = await clients.setSecret(clientIdOf(request), chosen, within(request));
      return sendJson(reply, { results: [formatClient(client, secret)] });
    },
  };
  addResource(server, SECRET_URL, secret, { operations: { PUT: setSecret } });
}
