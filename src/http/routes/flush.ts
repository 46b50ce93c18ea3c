// `POST /api/flush`: forget cached responses, for admins only.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors.ts';
import { isJsonObject } from '../../lib/json.ts';
import { requireAdmin } from '../authenticate.ts';
import { bodyOf } from '../body.ts';
import { sendValue } from '../reply.ts';
import { resource } from '../resource.ts';
import type { ResponseCache } from '../response-cache.ts';

const TITLE = 'Cache Path Missing';

function pathMissing(): AppError {
  const details = '`path` must be specified in the request body.';
  const named = { code: 'API-0003', title: TITLE, details };
  // The older dialect reads these members at the top of the body.
  return new AppError('CACHE_PATH_MISSING', {
    items: [{ field: 'path', message: details, ...named }],
    body: named,
  });
}

/** Registers flushing: of one collection by its path, or of everything with `*`. */
export function flushRoutes(server: FastifyInstance, cache: ResponseCache | undefined): void {
  server.addHook('onRequest', requireAdmin);
  resource(server, '/api/flush', {
    POST: async (request, reply) => {
      const body = bodyOf(request);
      const path = isJsonObject(body) ? body['path'] : undefined;
      if (typeof path !== 'string' || path === '') throw pathMissing();
      await cache?.flush(path);
      return sendValue(reply, { result: 'success', message: 'Cache flush successful' });
    },
  });
}
