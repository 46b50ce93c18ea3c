// `/api/routes` and `/api/recipes`: the definitions of routes and recipes, for admins only, on both ports.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DefinitionAdministration } from '../../delivery/definition-administration.ts';
import type { Definition, DefinitionChangeResult } from '../../delivery/definitions/definition.ts';
import type { DefinitionChangeInterceptor, Definitions } from '../../delivery/definitions/definitions.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { createAuditedChange, fingerprintJson } from '../core/audited-change.ts';
import { bodyLimit, jsonBody } from '../core/body-parsers.ts';
import { assertExpectedState, sendEntityTag } from '../core/entity-tags.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { passThrough, sendJson } from '../core/reply.ts';
import { requireAdmin } from '../core/request-access.ts';
import { addResource, type RequestGuard, type ResourceHandlers } from '../core/resource.ts';
import { assertNotGone, createCloseSignal } from '../transport/close-signal.ts';
import { DECIDE_ROUTE, DEFINITION_OPERATIONS, PREVIEW_RECIPE } from './definition-operations.ts';
import { createDefinitionErrorHandler, deliveryErrorBody } from './delivery-error-handler.ts';
import { describedVisitor } from './request-visitor.ts';

type DefinitionKind = 'route' | 'recipe';
type Open<T> = () => Promise<T>;

interface DefinitionRoutesDeps extends Pick<HttpDeps, 'audit' | 'logger' | 'definitions'> {
  readonly config: Pick<HttpDeps['config'], 'limits'>;
}
type Verb = 'create' | 'replace' | 'remove';

const PREVIEW_NAME = 'preview';

/** The path without a parameter is that of previews. */
const definitionName = ({ params }: FastifyRequest) =>
  (params as { readonly name?: string }).name ?? PREVIEW_NAME;

const SAVED = { success: true };

/** The name in a posted definition. */
function postedName(request: FastifyRequest, noun: DefinitionKind): string {
  const body = jsonBody(request);
  const name = isJsonObject(body) ? body[noun] : undefined;
  return typeof name === 'string' ? name : '';
}

/** A definition with its name, which files may leave out. */
const formatDefinition = (
  noun: DefinitionKind,
  { name, source }: Pick<Definition<unknown>, 'name' | 'source'>,
) => ({
  [noun]: name,
  ...source,
});

function sendOutcomeError(
  reply: FastifyReply,
  noun: DefinitionKind,
  { reason, errors }: DefinitionChangeResult & { ok: false },
): FastifyReply {
  // Clients of older servers expect objects here, and texts everywhere else.
  const isListOfObjects = noun === 'recipe' && reason === 'invalid';
  const list = isListOfObjects ? errors.map((error) => ({ error })) : errors;
  return sendJson(reply, deliveryErrorBody(list), reason === 'not-found' ? 404 : 400);
}

/** Posting an existing recipe replaces it; posting an existing route is an error. */
async function createOrReplace(
  noun: DefinitionKind,
  definitions: Definitions<unknown>,
  { request, intercept }: { request: FastifyRequest; intercept: (verb: Verb) => DefinitionChangeInterceptor },
): Promise<DefinitionChangeResult> {
  const body = jsonBody(request);
  const outcome = await definitions.create(body, intercept('create'));
  if (outcome.ok || outcome.reason !== 'exists' || noun === 'route') return outcome;
  const replaced = await definitions.replace(postedName(request, noun), body, intercept('replace'));
  return !replaced.ok && replaced.reason === 'not-found' ? outcome : replaced;
}

function definitionHandlers(
  noun: DefinitionKind,
  open: Open<Definitions<unknown>>,
  deps: Pick<DefinitionRoutesDeps, 'audit'>,
) {
  const applyAudited = createAuditedChange(deps.audit);
  const auditedChange =
    (request: FastifyRequest, name: string) =>
    (verb: Verb): DefinitionChangeInterceptor =>
    async ({ before, after }, apply) => {
      assertExpectedState(request, before && formatDefinition(noun, { name, source: before }));
      const hashes = { before: fingerprintJson(before), after: fingerprintJson(after) };
      return applyAudited(
        request,
        { action: `${noun}.${verb}`, target: `/api/${noun}s/${name}`, ...hashes },
        apply,
      );
    };
  const sendOutcome = (reply: FastifyReply, outcome: DefinitionChangeResult) =>
    outcome.ok ? sendJson(reply, SAVED) : sendOutcomeError(reply, noun, outcome);

  const all: ResourceHandlers = {
    GET: async (_request, reply) =>
      sendJson(reply, {
        [`${noun}s`]: (await open()).list().map((definition) => formatDefinition(noun, definition)),
      }),
    POST: async (request, reply) => {
      const name = postedName(request, noun);
      const outcome = await createOrReplace(noun, await open(), {
        request,
        intercept: auditedChange(request, name),
      });
      if (!outcome.ok || noun === 'route') return sendOutcome(reply, outcome);
      return sendJson(reply, { ...SAVED, message: `Recipe "${name}" created` }, 201);
    },
  };
  const byName: ResourceHandlers = {
    GET: async (request, reply) => {
      const definition = (await open()).get(definitionName(request));
      if (definition !== undefined) {
        const state = formatDefinition(noun, definition);
        return sendJson(sendEntityTag(reply, state), state);
      }
      return sendJson(reply, deliveryErrorBody([`${noun === 'route' ? 'Route' : 'Recipe'} not found`]), 404);
    },
    PUT: async (request, reply) => {
      const name = definitionName(request);
      const change = auditedChange(request, name)('replace');
      return sendOutcome(reply, await (await open()).replace(name, jsonBody(request), change));
    },
    DELETE: async (request, reply) => {
      const name = definitionName(request);
      return sendOutcome(reply, await (await open()).remove(name, auditedChange(request, name)('remove')));
    },
  };
  return { all, byName };
}

/** Registers the paths of one kind, and returns the handlers of a single one. */
function registerKind(
  server: FastifyInstance,
  noun: DefinitionKind,
  open: Open<Definitions<unknown>>,
  deps: DefinitionRoutesDeps,
): ResourceHandlers {
  const { all, byName } = definitionHandlers(noun, open, deps);
  const limit = definitionLimit(deps);
  const { list, create, get, replace, remove } = DEFINITION_OPERATIONS[noun];
  addResource(server, `/api/${noun}s`, all, { operations: { GET: list, POST: create }, bodyLimit: limit });
  addResource(server, `/api/${noun}s/:name`, byName, {
    operations: { GET: get, PUT: replace, DELETE: remove },
    bodyLimit: limit,
    handlesPreconditions: true,
  });
  return byName;
}

const definitionLimit = ({ config }: DefinitionRoutesDeps) =>
  bodyLimit('definition', config.limits.jsonBytes);

/** Guard: forbids caching of what only admins may see. */
export const forbidCaching: RequestGuard = (_request, reply, done) => {
  reply.header('Cache-Control', 'no-store');
  done();
};

interface RecipePreviewOptions {
  readonly definitions: () => Promise<DefinitionAdministration>;
  /** Those of the recipe of this name: described with all others. */
  readonly byName: ResourceHandlers;
  /** Bytes. */
  readonly bodyLimit: number;
}

/**
 * Registers `POST /api/recipes/preview`, an original as a recipe would deliver it that is not saved, and the recipe of that name: there
 * may be one.
 */
function recipePreviewRoute(
  server: FastifyInstance,
  { definitions, byName, bodyLimit }: RecipePreviewOptions,
): void {
  const POST: ResourceHandlers['POST'] = async (request, reply) => {
    const signal = createCloseSignal(reply);
    const { preview } = await definitions();
    const options = { accept: request.headers.accept ?? '', signal };
    const result = await preview(jsonBody(request), options).catch((error: unknown) => {
      assertNotGone(signal, error);
      throw error;
    });
    if (!result.ok) return sendJson(reply, deliveryErrorBody(result.errors.map((error) => ({ error }))), 400);
    return reply.serializer(passThrough).headers(result.headers).send(result.bytes);
  };
  addResource(
    server,
    `/api/recipes/${PREVIEW_NAME}`,
    { ...byName, POST },
    {
      operations: { GET: null, PUT: null, DELETE: null, POST: PREVIEW_RECIPE },
      bodyLimit,
      handlesPreconditions: true,
    },
  );
}

/** Registers the administration of routes and recipes. Guards of the scope have rejected everybody but admins. */
export function definitionRoutes(server: FastifyInstance, deps: DefinitionRoutesDeps): void {
  const { definitions } = deps;
  server.setErrorHandler(createDefinitionErrorHandler(deps.logger));
  registerKind(server, 'route', async () => (await definitions()).routes, deps);
  const byName = registerKind(server, 'recipe', async () => (await definitions()).recipes, deps);
  recipePreviewRoute(server, { definitions, byName, bodyLimit: definitionLimit(deps) });
  const decide: ResourceHandlers = {
    GET: async (request, reply) => {
      const visitor = describedVisitor(request);
      const explanation = await (await definitions()).explain(definitionName(request), visitor);
      if (explanation !== undefined) return sendJson(reply, explanation);
      return sendJson(reply, deliveryErrorBody(['Route not found']), 404);
    },
  };
  addResource(server, '/api/routes/:name/decide', decide, { operations: { GET: DECIDE_ROUTE } });
}

/** The same for a scope that knows the caller, but has rejected nobody. */
export function guardedDefinitionRoutes(server: FastifyInstance, deps: DefinitionRoutesDeps): void {
  server.addHook('onRequest', forbidCaching);
  server.addHook('onRequest', requireAdmin);
  definitionRoutes(server, deps);
}
