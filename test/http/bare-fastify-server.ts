// A server with the envelope and nothing else, for testing one hook or parser at a time.
import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, type FastifyServerFactory } from 'fastify';
import { createErrorHandler } from '../../src/http/core/reply.ts';
import { ROUTED_METHODS, replaceMethod, restoreMethod } from '../../src/http/core/resource.ts';

export interface LogRecord {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface BareServer {
  readonly server: FastifyInstance;
  readonly records: LogRecord[];
}

/**
 * `configure` registers what is to be tested; errors arrive in the envelope, log records in `records`. `serverFactory`:
 * the framework's unless given.
 */
export function bareServer(
  configure: (server: FastifyInstance) => void,
  serverFactory?: FastifyServerFactory,
): BareServer {
  const records: LogRecord[] = [];
  const record = (level: string) => (fields: object, message: string) =>
    void records.push({ level, fields: { ...fields }, message });
  const logger = {
    error: record('error'),
    warn: record('warn'),
    debug: record('debug'),
    isLevelEnabled: () => true,
  };
  const factory = serverFactory === undefined ? {} : { serverFactory };
  const rewriteUrl = (raw: IncomingMessage) => {
    if (!ROUTED_METHODS.has(raw.method ?? '')) replaceMethod(raw);
    return raw.url ?? '/';
  };
  const server = fastify({ genReqId: () => 'request-1', rewriteUrl, ...factory });
  server.addHook('onRequest', async ({ raw }) => restoreMethod(raw));
  server.decorateRequest('client', null);
  server.decorateRequest('collection', null);
  server.decorateRequest('tokenMs', 0);
  server.decorateRequest('clientAddress', '');
  server.setErrorHandler(createErrorHandler(logger));
  configure(server);
  return { server, records };
}
