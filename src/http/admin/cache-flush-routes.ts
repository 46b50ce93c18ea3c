// `POST /api/flush`: drops cached responses, for admins only.
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../errors/errors.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { requireAdmin } from '../access/authenticate.ts';
import { jsonBody } from '../core/body-parsers.ts';
import { sendJson } from '../core/reply.ts';
import { addResource } from '../core/resource.ts';
import type { ResponseCache } from '../documents/response-cache.ts';

const MISSING_PATH_TITLE = 'Cache Path Missing';

function pathMissing(): AppError {
  const message = '`path` must be specified in the request body.';
  const older = { code: 'API-0003', title: MISSING_PATH_TITLE, details: message };
  // Clients of the older dialect read these members at the top of the body.
  return new AppError('CACHE_PATH_MISSING', {
    items: [{ field: 'path', message, ...older }],
    body: older,
  });
}

/** Registers flushing: of one collection by its path, or of everything with `*`. */
export function cacheFlushRoutes(server: FastifyInstance, cache: ResponseCache | undefined): void {
  server.addHook('onRequest', requireAdmin);
  addResource(server, '/api/flush', {
    POST: async (request, reply) => {
      const body = jsonBody(request);
      const path = isJsonObject(body) ? body['path'] : undefined;
      if (typeof path !== 'string' || path === '') throw pathMissing();
      await cache?.flush(path);
      return sendJson(reply, { result: 'success', message: 'Cache flush successful' });
    },
  });
}
