// `POST /api/flush`: forget rendered images, for admins only.
import type { FastifyInstance } from 'fastify';
import { isJsonObject } from '../../lib/json.ts';
import { bodyOf } from '../body.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';
import type { DeliveryDeps } from './deps.ts';

const MISSING = { success: false, message: "A 'pattern' must be specified" };
const MAX_PATTERN_LENGTH = 4096;

/** Registers flushing by a pattern: `*`, an address, an address with a query string, or a query string. */
export function flushRoute(
  server: FastifyInstance,
  { flush, routes, recipes }: Pick<DeliveryDeps, 'flush' | 'routes' | 'recipes'>,
): void {
  /** The recipes that stand behind the first part of an address. */
  const recipesOf = (name: string): readonly string[] => {
    const route = routes.get(name)?.value;
    if (route === undefined) return recipes.get(name) === undefined ? [] : [name];
    return [...new Set(route.branches.flatMap(({ recipe }) => recipe ?? []))];
  };
  resource(server, '/api/flush', {
    POST: async (request, reply) => {
      const body = bodyOf(request);
      const pattern = isJsonObject(body) ? body['pattern'] : undefined;
      if (typeof pattern !== 'string' || pattern === '' || pattern.length > MAX_PATTERN_LENGTH) {
        return sendValue(reply, MISSING, 400);
      }
      await flush(pattern, recipesOf);
      return sendValue(reply, { success: true, message: `Cache flushed for pattern "${pattern}"` });
    },
  });
}
