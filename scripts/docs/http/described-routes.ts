// The routes of a server as it would start on an empty folder, with what they say about themselves.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { loadConfig } from '../../../src/config/load-config.ts';
import type { DescribedRoute } from '../../../src/http/core/operation.ts';
import { collectDescribedRoutes } from '../../../src/http/description/described-routes.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createApp } from '../../../src/setup/app.ts';

const ENVIRONMENT = {
  CLOISTER_LOGGING_LEVEL: 'silent',
  CLOISTER_SERVER_HOST: '127.0.0.1',
  CLOISTER_SERVER_PORT: '0',
  CLOISTER_DELIVERY_ENABLED: 'false',
};

/** Starts a server without listening, and stops it. */
export async function describedRoutes(): Promise<readonly DescribedRoute[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'cloister-docs-'));
  const lists: (readonly DescribedRoute[])[] = [];
  const watch = (message: unknown) => {
    lists.push(collectDescribedRoutes((message as { readonly fastify: FastifyInstance }).fastify));
  };
  subscribe('fastify.initialization', watch);
  try {
    const { config, file } = await loadConfig({ flags: {}, env: ENVIRONMENT, cwd });
    const logger = createLogger({ level: 'silent', format: 'json', secrets: [] });
    const app = await createApp(config, { configFile: file, cwd, logger });
    await app.close();
  } finally {
    unsubscribe('fastify.initialization', watch);
    rmSync(cwd, { recursive: true, force: true });
  }
  return lists.flat();
}
