// `/api/routes` and `/api/recipes`: the documents that say how files are delivered, for admins only.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Definition, Outcome } from '../../delivery/definitions/definition.ts';
import type { Around, Definitions } from '../../delivery/definitions/service.ts';
import { isJsonObject } from '../../lib/json.ts';
import { createAnnounce, fingerprintOf } from '../admin-actions.ts';
import { bodyOf } from '../body.ts';
import { bodyLimit } from '../body-limits.ts';
import { sendValue } from '../reply.ts';
import { type Handlers, resource } from '../resource.ts';
import type { DeliveryDeps } from './deps.ts';
import { createDocumentErrorHandler, errorBody } from './errors.ts';
import { visitorOf } from './visitor.ts';

type Noun = 'route' | 'recipe';
type Deps = Pick<DeliveryDeps, 'audit' | 'config' | 'logger'>;
type Verb = 'create' | 'replace' | 'remove';

const nameOf = (request: FastifyRequest) => (request.params as { readonly name: string }).name;

const SAVED = { success: true };

/** The name that a posted document gives itself. */
function postedName(request: FastifyRequest, noun: Noun): string {
  const body = bodyOf(request);
  const name = isJsonObject(body) ? body[noun] : undefined;
  return typeof name === 'string' ? name : '';
}

/** A document with its name, which files may leave out. */
const documentOf = (noun: Noun, { name, source }: Definition<unknown>) => ({ [noun]: name, ...source });

function sendRefusal(
  reply: FastifyReply,
  noun: Noun,
  { reason, errors }: Outcome & { ok: false },
): FastifyReply {
  // Clients of older servers read objects here, and texts everywhere else.
  const isListOfObjects = noun === 'recipe' && reason === 'invalid';
  const shown = isListOfObjects ? errors.map((error) => ({ error })) : errors;
  return sendValue(reply, errorBody(shown), reason === 'not-found' ? 404 : 400);
}

/** A recipe that is posted again takes the place of the one before; a route does not. */
async function post(
  noun: Noun,
  definitions: Definitions<unknown>,
  { request, announce }: { request: FastifyRequest; announce: (verb: Verb) => Around },
): Promise<Outcome> {
  const body = bodyOf(request);
  const outcome = await definitions.create(body, announce('create'));
  if (outcome.ok || outcome.reason !== 'exists' || noun === 'route') return outcome;
  const replaced = await definitions.replace(postedName(request, noun), body, announce('replace'));
  return !replaced.ok && replaced.reason === 'not-found' ? outcome : replaced;
}

function definitionHandlers(noun: Noun, definitions: Definitions<unknown>, deps: Deps) {
  const announced = createAnnounce(deps.audit);
  const announce =
    (request: FastifyRequest, name: string) =>
    (verb: Verb): Around =>
    ({ before, after }, apply) => {
      const hashes = { before: fingerprintOf(before), after: fingerprintOf(after) };
      return announced(
        request,
        { action: `${noun}.${verb}`, target: `/api/${noun}s/${name}`, ...hashes },
        apply,
      );
    };
  const sendOutcome = (reply: FastifyReply, outcome: Outcome) =>
    outcome.ok ? sendValue(reply, SAVED) : sendRefusal(reply, noun, outcome);

  const all: Handlers = {
    GET: async (_request, reply) =>
      sendValue(reply, { [`${noun}s`]: definitions.list().map((one) => documentOf(noun, one)) }),
    POST: async (request, reply) => {
      const name = postedName(request, noun);
      const outcome = await post(noun, definitions, { request, announce: announce(request, name) });
      if (!outcome.ok || noun === 'route') return sendOutcome(reply, outcome);
      return sendValue(reply, { ...SAVED, message: `Recipe "${name}" created` }, 201);
    },
  };
  const one: Handlers = {
    GET: async (request, reply) => {
      const definition = definitions.get(nameOf(request));
      if (definition !== undefined) return sendValue(reply, documentOf(noun, definition));
      return sendValue(reply, errorBody([`${noun === 'route' ? 'Route' : 'Recipe'} not found`]), 404);
    },
    PUT: async (request, reply) => {
      const name = nameOf(request);
      const change = announce(request, name)('replace');
      return sendOutcome(reply, await definitions.replace(name, bodyOf(request), change));
    },
    DELETE: async (request, reply) => {
      const name = nameOf(request);
      return sendOutcome(reply, await definitions.remove(name, announce(request, name)('remove')));
    },
  };
  return { all, one };
}

function register(server: FastifyInstance, noun: Noun, definitions: Definitions<unknown>, deps: Deps): void {
  const { all, one } = definitionHandlers(noun, definitions, deps);
  const limits = { bodyLimit: bodyLimit('definition', deps.config.limits.jsonBytes) };
  resource(server, `/api/${noun}s`, all, limits);
  resource(server, `/api/${noun}s/:name`, one, limits);
}

/** Registers the administration of routes and recipes. */
export function definitionRoutes(server: FastifyInstance, deps: DeliveryDeps): void {
  server.setErrorHandler(createDocumentErrorHandler(deps.logger));
  register(server, 'route', deps.routes, deps);
  register(server, 'recipe', deps.recipes, deps);
  resource(server, '/api/routes/:name/decide', {
    GET: async (request, reply) => {
      const explanation = await deps.explain(nameOf(request), visitorOf(request));
      if (explanation !== undefined) return sendValue(reply, explanation);
      return sendValue(reply, errorBody(['Route not found']), 404);
    },
  });
}
