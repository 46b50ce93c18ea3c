// `POST /api/flush`: drops rendered images, for admins only.
import type { FastifyInstance } from 'fastify';

import { isFlushPattern } from '../../delivery/flush-images.ts';

import { isJsonObject } from '../../lib/json/json.ts';
import { jsonBody } from '../core/body-parsers.ts';
import { sendJson } from '../core/reply.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import { FLUSH_VARIANTS } from './definition-operations.ts';
import type { DeliveryDeps } from './delivery-deps.ts';

const MISSING_PATTERN = { success: false, message: "A 'pattern' must be specified" };

/** Registers flushing by a pattern: `*`, a path, a path with a query string, or a query string. */
export function variantFlushRoute(server: FastifyInstance, { flush }: Pick<DeliveryDeps, 'flush'>): void {
  const handlers: ResourceHandlers = {
    POST: async (request, reply) => {
      const body = jsonBody(request);
      const pattern = isJsonObject(body) ? body['pattern'] : undefined;
      if (!isFlushPattern(pattern)) return sendJson(reply, MISSING_PATTERN, 400);
      await flush(pattern);
      return sendJson(reply, { success: true, message: `Cache flushed for pattern "${pattern}"` });
    },
  };
  addResource(server, '/api/flush', handlers, { operations: { POST: FLUSH_VARIANTS } });
}
