// For admins only: `/api/config` (the main configuration), `/api/flush` (drops cached responses and rendered images).

import type { FastifyInstance } from 'fastify';
import { isFlushPattern, MAX_PATTERN_LENGTH } from '../../delivery/flush-images.ts';
import { AppError } from '../../errors/errors.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { createAuditedChange } from '../core/audited-change.ts';
import { acceptTextAsJson, bodyLimit, jsonBody, jsonObjectBody } from '../core/body-parsers.ts';
import type { HttpDeps } from '../core/http-deps.ts';
import { sendJson } from '../core/reply.ts';
import { requireAdmin } from '../core/request-access.ts';
import { addResource, type ResourceHandlers } from '../core/resource.ts';
import type { ResponseCache } from '../documents/response-cache.ts';
import { CHANGE_CONFIGURATION, FLUSH, GET_CONFIGURATION } from './server-operations.ts';

/** Registers the configuration. Changes take effect after a restart. */
export function configRoutes(
  server: FastifyInstance,
  { configStore, audit, config }: Pick<HttpDeps, 'configStore' | 'audit' | 'config'>,
): void {
  const applyAudited = createAuditedChange(audit);
  const { jsonBytes, jsonValues } = config.limits;
  acceptTextAsJson(server, { maxValues: jsonValues });
  server.addHook('onRequest', requireAdmin);
  const handlers: ResourceHandlers = {
    GET: async (_request, reply) => sendJson(reply, configStore.redacted()),
    POST: async (request, reply) => {
      await configStore.save(jsonObjectBody(request), (change, write) =>
        applyAudited(request, { action: 'configuration.change', target: '/api/config', ...change }, write),
      );
      return sendJson(reply, { result: 'success', message: 'server restart required' });
    },
  };
  const operations = { GET: GET_CONFIGURATION, POST: CHANGE_CONFIGURATION };
  addResource(server, '/api/config', handlers, { operations, bodyLimit: bodyLimit('config', jsonBytes) });
}

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

const badPattern = () =>
  new AppError('BAD_REQUEST', {
    field: 'pattern',
    message: `\`pattern\` must be text of 1 to ${MAX_PATTERN_LENGTH} characters: \`*\`, or a path of the delivery port`,
  });

interface FlushDeps extends Pick<HttpDeps, 'definitions'> {
  readonly cache: ResponseCache | undefined;
}

/**
 * Registers flushing: of responses by `path`, of one collection or of everything with `*`; of rendered images by `pattern`, as on
 * the delivery port.
 */
export function cacheFlushRoutes(server: FastifyInstance, { cache, definitions }: FlushDeps): void {
  server.addHook('onRequest', requireAdmin);
  const handlers: ResourceHandlers = {
    POST: async (request, reply) => {
      const body = jsonBody(request);
      const { path, pattern } = isJsonObject(body) ? body : {};
      const isOfImages = pattern !== undefined;
      if (isOfImages && !isFlushPattern(pattern)) throw badPattern();
      if (path !== undefined || !isOfImages) {
        if (typeof path !== 'string' || path === '') throw pathMissing();
        await cache?.flush(path);
      }
      if (isOfImages) await (await definitions()).flush(pattern);
      return sendJson(reply, { result: 'success', message: 'Cache flush successful' });
    },
  };
  addResource(server, '/api/flush', handlers, { operations: { POST: FLUSH } });
}
