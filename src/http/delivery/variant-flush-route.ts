// `POST /api/flush`: drops rendered images, for admins only.
import type { FastifyInstance } from 'fastify';
import type { Recipe } from '../../delivery/recipes/recipe.ts';
import type { FlushNames } from '../../delivery/variants/flush-pattern.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { jsonBody } from '../core/body-parsers.ts';
import { sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { FLUSH_VARIANTS } from './definition-operations.ts';
import type { DeliveryDeps } from './delivery-deps.ts';

const MISSING_PATTERN = { success: false, message: "A 'pattern' must be specified" };
const MAX_PATTERN_LENGTH = 4096;

/** Registers flushing by a pattern: `*`, a path, a path with a query string, or a query string. */
export function variantFlushRoute(
  server: FastifyInstance,
  { flush, routes, recipes }: Pick<DeliveryDeps, 'flush' | 'routes' | 'recipes'>,
): void {
  const recipe = (name: string): Recipe | undefined => {
    const found = recipes.get(name);
    return found === undefined ? undefined : { ...found.value, name: found.name };
  };
  const recipesOf = (name: string): readonly Recipe[] | undefined => {
    const route = routes.get(name)?.value;
    const names = route === undefined ? [name] : route.branches.flatMap((branch) => branch.recipe ?? []);
    const found = [...new Set(names)].flatMap((each) => recipe(each) ?? []);
    return route === undefined && found.length === 0 ? undefined : found;
  };
  const names: FlushNames = {
    recipe,
    recipesOf,
    recipesLike: (prefix) =>
      [...routes.list(), ...recipes.list()].flatMap(({ name }) =>
        name.startsWith(prefix) ? (recipesOf(name) ?? []) : [],
      ),
  };
  const handlers: ResourceHandlers = {
    POST: async (request, reply) => {
      const body = jsonBody(request);
      const pattern = isJsonObject(body) ? body['pattern'] : undefined;
      if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
        return sendJson(reply, MISSING_PATTERN, 400);
      }
      await flush(pattern, names);
      return sendJson(reply, { success: true, message: `Cache flushed for pattern "${pattern}"` });
    },
  };
  addResource(server, '/api/flush', handlers, { operations: { POST: FLUSH_VARIANTS } });
}
