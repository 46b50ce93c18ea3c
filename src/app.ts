// The composition root: builds adapters, services and the HTTP server from a configuration. Nothing imports it but the cli.
import { resolve } from 'node:path';
import { createAudit } from './auth/audit.ts';
import { CLIENTS } from './auth/client-records.ts';
import { type Clients, createClients } from './auth/clients.ts';
import { ensureFirstAdmin } from './auth/first-admin.ts';
import { createLogin } from './auth/login.ts';
import { createAttemptLimiter } from './auth/rate-limit.ts';
import { generatedSecret } from './auth/server-secrets.ts';
import { createStandings } from './auth/standings.ts';
import { createTokens } from './auth/tokens.ts';
import { createRegistry } from './collections/registry.ts';
import { createDocumentService } from './collections/service.ts';
import { createSpecificationFiles } from './collections/specifications/files.ts';
import { createSpecificationService } from './collections/specifications/service.ts';
import { SECRET_PATHS } from './config/redact.ts';
import { createConfigStore } from './config/save.ts';
import type { Config } from './config/schema.ts';
import { createCustomCode } from './custom-code.ts';
import { createServer } from './http/server.ts';
import { createIdSource } from './lib/ids.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { packageVersion } from './lib/package-files.ts';
import { openDocuments } from './stores/documents.ts';
import { openFileCache } from './stores/file-cache.ts';
import { createMemoryCache } from './stores/memory-cache.ts';
import type { CacheStore, DocumentStore } from './stores/ports.ts';
import { createPatterns } from './workers/patterns.ts';

interface AppOptions {
  /** Absolute path of the configuration file, which need not exist. */
  readonly configFile: string;
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
  readonly logger?: Logger;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

export interface App {
  /** For requests without a socket. */
  readonly server: ReturnType<typeof createServer>;
  /** The admin that this start made, to be shown once. */
  readonly firstAdmin: { readonly id: string; readonly secret: string } | undefined;
  /** What the operator should read at the start. */
  readonly notices: readonly string[];
  listen(): Promise<{ readonly url: string }>;
  /** Finishes requests in flight, then closes the stores. */
  close(): Promise<void>;
}

function openStore(config: Config, cwd: string, logger: Logger): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  return openDocuments(config.database, { cwd, queueLimit, queryMs, log: logger });
}

async function openCache(config: Config, cwd: string, now: () => number): Promise<CacheStore | undefined> {
  const { enabled, engine, maxBytes, path } = config.cache;
  if (!enabled) return undefined;
  return engine === 'memory'
    ? createMemoryCache({ maxBytes, now })
    : openFileCache({ folder: resolve(cwd, path), maxBytes, now });
}

/** The admin of the environment; `load.ts` has seen to it that both or neither are set. */
function configuredAdmin({ id, secret }: Config['auth']['admin']) {
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

async function createAccess(config: Config, store: DocumentStore, clients: Clients, now: () => number) {
  const standings = createStandings({
    read: (clientId) => clients.standing(clientId),
    watch: (listener) => store.watch(listener),
    source: CLIENTS,
    now,
  });
  const secret = config.auth.tokenSecret ?? (await generatedSecret(store, 'auth.tokenSecret'));
  const tokens = createTokens({ secret, ttl: config.auth.tokenTtl, standings, now });
  const limiter = createAttemptLimiter(config.auth.rateLimit);
  return { tokens, login: createLogin({ clients, limiter, tokens }), close: () => standings.close() };
}

/** Builds the whole application. Nothing listens yet. */
export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const { configFile, cwd, now = Date.now } = options;
  const logger = options.logger ?? createLogger({ level: config.logging.level, secrets: SECRET_PATHS });
  const newId = createIdSource(now);
  const store = await openStore(config, cwd, logger);
  const cache = await openCache(config, cwd, now);
  const clients = createClients({ store, newId, now, queryMs: config.limits.queryMs });
  await clients.ensure();
  const made = await ensureFirstAdmin(clients, configuredAdmin(config.auth.admin));
  const access = await createAccess(config, store, clients, now);

  const patterns = createPatterns();
  const registry = createRegistry();
  const specifications = createSpecificationService({
    registry,
    store,
    files: createSpecificationFiles(resolve(cwd, config.workspace.path, config.paths.collections)),
    enableCollectionDatabases: config.database.enableCollectionDatabases,
    isEndpoint: (apiVersion, name) => {
      return custom.modules.registry.get({ kind: 'endpoint', apiVersion, name }) !== undefined;
    },
    filterLimits: config.limits,
    log: logger,
    now,
  });
  const audit = createAudit({ store, now, queryMs: config.limits.queryMs });
  const custom = await createCustomCode({
    ...{ config, cwd, store, registry, clients, audit, logger, now },
    createDocuments: (hooks) =>
      createDocumentService({ store, registry, limits: config.limits, newId, now, patterns, hooks }),
  });
  await specifications.load();
  await custom.load();

  const server = createServer({
    config,
    version: packageVersion(),
    logger,
    registry,
    specifications,
    documents: custom.documents,
    modules: custom.modules,
    calls: custom.calls,
    sandboxEnabled: config.sandbox.enabled,
    sandboxStatus: custom.sandboxStatus,
    audit,
    clients,
    login: access.login,
    tokens: access.tokens,
    configStore: createConfigStore({ config, file: configFile }),
    cache,
    store,
    now,
    newId,
  });
  await server.ready();

  return {
    server,
    firstAdmin: made === undefined ? undefined : { id: made.clientId, secret: made.secret },
    notices: [],
    async listen() {
      const { host, port } = config.server;
      const url = await server.listen({ host, port });
      custom.testWalls();
      return { url };
    },
    async close() {
      await server.close();
      await specifications.close();
      await custom.close();
      access.close();
      await patterns.close();
      await cache?.close();
      await store.close();
    },
  };
}

/** Opens the clients of the configured database for one command of the console. */
export async function openClients(
  config: Config,
  { cwd }: { readonly cwd: string },
): Promise<{ readonly clients: Clients; close(): Promise<void> }> {
  const logger = createLogger({ level: config.logging.level, secrets: SECRET_PATHS });
  const store = await openStore(config, cwd, logger);
  const clients = createClients({
    store,
    newId: createIdSource(),
    now: Date.now,
    queryMs: config.limits.queryMs,
  });
  await clients.ensure();
  return { clients, close: () => store.close() };
}
