// The composition root: builds adapters, services and the HTTP server from a configuration. Nothing imports it but the cli.
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openAudit } from './audit-log.ts';
import { entryOfEdit, readAuditedFiles } from './audited-files.ts';
import type { Audit } from './auth/audit.ts';
import { noteFoundFiles } from './auth/audit-files.ts';
import { type Clients, createClients } from './auth/clients.ts';
import { createFirstAdmin } from './auth/first-admin.ts';
import { createGate } from './auth/gate.ts';
import { createRegistry } from './collections/registry.ts';
import { createDocumentService } from './collections/service.ts';
import { createSpecificationFiles } from './collections/specifications/files.ts';
import { createSpecificationService } from './collections/specifications/service.ts';
import { keepToOwner } from './config/owner-only.ts';
import { SECRET_PATHS } from './config/redact.ts';
import { createConfigStore } from './config/save.ts';
import type { Config } from './config/schema.ts';
import { createCustomCode, moduleFolders, openCeilings } from './custom-code.ts';
import { AppError, StoreError } from './errors.ts';
import { createServer } from './http/server.ts';
import { type ByteBudget, createByteBudget } from './lib/byte-budget.ts';
import { createIdSource } from './lib/ids.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { packageVersion } from './lib/package-files.ts';
import type { Pause } from './lib/pause.ts';
import { createStartUp } from './start-up.ts';
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
  /** Gets the admin that this start makes, to be shown once: before `createApp` resolves, or when the database comes. */
  readonly onFirstAdmin?: (admin: FirstAdmin) => void;
  /** Used in place of the store that the configuration names. */
  readonly store?: DocumentStore;
  readonly pause?: Pause;
}

export interface FirstAdmin {
  readonly id: string;
  readonly secret: string;
}

export interface App {
  /** For requests without a socket. */
  readonly server: ReturnType<typeof createServer>;
  /** Resolves when all is made that needs the database, however late it comes; rejects with what else stops the start. */
  readonly started: Promise<void>;
  /** What the operator should read at the start. */
  readonly notices: readonly string[];
  listen(): Promise<{ readonly url: string }>;
  /** Finishes requests in flight, then closes the stores. */
  close(): Promise<void>;
}

function openStore(
  config: Config,
  { cwd, logger, unsent }: { cwd: string; logger: Logger; unsent: ByteBudget },
): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  const { hasRoom } = unsent;
  return openDocuments(config.database, { cwd, queueLimit, queryMs, log: logger, exclusive: true, hasRoom });
}

async function openCache(config: Config, cwd: string, now: () => number): Promise<CacheStore | undefined> {
  const { enabled, engine, maxBytes, path } = config.cache;
  if (!enabled) return undefined;
  return engine === 'memory'
    ? createMemoryCache({ maxBytes, now })
    : openFileCache({ folder: resolve(cwd, path), maxBytes, now });
}

/**
 * Makes the function that opens what a start with another configuration opens, so that a change which would stop the next
 * start is refused. Throws CONFIGURATION_INVALID.
 */
function createTryStart(running: Config, cwd: string, now: () => number) {
  return async (next: Config): Promise<void> => {
    await openCeilings(next, cwd);
    const opens = ({ cache: { enabled, engine, path } }: Config) => ({ enabled, engine, path });
    // The running server has the same cache open.
    if (isDeepStrictEqual(opens(next), opens(running))) return;
    const cache = await openCache(next, cwd, now).catch((cause: unknown) => {
      const message = 'the folder of the cache cannot be opened';
      throw new AppError('CONFIGURATION_INVALID', { field: 'cache.path', message, cause });
    });
    await cache?.close();
  };
}

/** The admin of the environment; `load.ts` has seen to it that both or neither are set. */
function configuredAdmin({ id, secret }: Config['auth']['admin']) {
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** What waits for a review waits for ever where nobody may approve. */
async function warnOfNoReviewer(clients: Clients, { sandbox }: Config, log: Logger): Promise<void> {
  if (sandbox.review === 'none' || (await clients.hasReviewer())) return;
  log.warn(
    { review: sandbox.review },
    'nobody can approve what `sandbox.review` holds back: make a reviewer with `cloister clients add --id <id> --reviewer`',
  );
}

/** What is wrong with the log stops nobody: it is noted, and so it is before the next entry where it cannot be now. */
async function checkAuditLog(audit: Audit, logger: Logger): Promise<void> {
  await audit.check().catch((error) => {
    logger.error({ err: error }, 'the end of the audit log could not be checked');
  });
}

/** Notes files that changed while no server ran. A database of which only the log is damaged serves all the same. */
async function noteFiles(options: Parameters<typeof noteFoundFiles>[0]): Promise<void> {
  try {
    await noteFoundFiles(options);
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'damaged') throw error;
    options.log.error({ err: error }, 'the audit log does not say which files changed while no server ran');
  }
}

async function ensureClients(
  clients: Clients,
  makeAdmin: ReturnType<typeof createFirstAdmin>,
  { onFirstAdmin }: Pick<AppOptions, 'onFirstAdmin'>,
): Promise<void> {
  await clients.ensure();
  const made = await makeAdmin();
  if (made !== undefined) onFirstAdmin?.({ id: made.clientId, secret: made.secret });
}

/** Builds the whole application. Nothing listens yet. */
export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const { configFile, cwd, now = Date.now } = options;
  const logger = options.logger ?? createLogger({ ...config.logging, secrets: SECRET_PATHS });
  const readable = await keepToOwner(configFile);
  if (readable !== undefined) logger.warn({}, readable);
  const newId = createIdSource(now);
  const { queryMs, unsentBytes } = config.limits;
  const unsent = createByteBudget(unsentBytes);
  const store = options.store ?? (await openStore(config, { cwd, logger, unsent }));
  const cache = await openCache(config, cwd, now);
  const audit = await openAudit(config, { cwd, store, now, log: logger });
  const clients = createClients({ store, audit, newId, now, queryMs });
  const isReady = () => startUp.isDone();
  const gate = createGate({ settings: config.auth, store, clients, isOpen: isReady, now, queryMs });
  const patterns = createPatterns();
  const registry = createRegistry();
  const specificationRoot = resolve(cwd, config.workspace.path, config.paths.collections);
  const specifications = createSpecificationService({
    registry,
    store,
    files: createSpecificationFiles(specificationRoot),
    enableCollectionDatabases: config.database.enableCollectionDatabases,
    isEndpoint: (apiVersion, name) => {
      return custom.modules.registry.get({ kind: 'endpoint', apiVersion, name }) !== undefined;
    },
    filterLimits: config.limits,
    noteEdit: (edit) => audit.record(entryOfEdit(edit)),
    queryMs,
    log: logger,
    now,
    pause: options.pause,
  });
  const custom = await createCustomCode({
    ...{ config, cwd, store, registry, clients, gate, audit, logger, now, pause: options.pause },
    createDocuments: (hooks) =>
      createDocumentService({ store, registry, limits: config.limits, newId, now, patterns, hooks }),
  });
  await specifications.load();
  await custom.demandWalls();
  const auditedFiles = () =>
    readAuditedFiles({
      configFile,
      specifications: createSpecificationFiles(specificationRoot),
      folders: moduleFolders(config, cwd),
      maxBytes: config.limits.endpointCodeBytes,
    });
  const makeAdmin = createFirstAdmin(clients, configuredAdmin(config.auth.admin));
  const steps = [
    () => store.health().then(() => checkAuditLog(audit, logger)),
    () => noteFiles({ store, audit, files: auditedFiles, now, queryMs, log: logger }),
    () => ensureClients(clients, makeAdmin, options),
    () => warnOfNoReviewer(clients, config, logger),
    () => gate.ensureSecret(),
    () => specifications.ensureIndexes(),
    () => custom.load(),
  ];
  const startUp = createStartUp({ steps, store, log: logger, pause: options.pause });
  await startUp.begin();

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
    login: gate.login,
    tokens: gate.tokens,
    isReady,
    unsent,
    configStore: createConfigStore({ config, file: configFile, tryStart: createTryStart(config, cwd, now) }),
    cache,
    store,
    now,
    newId,
  });
  await server.ready();

  return {
    server,
    started: startUp.done,
    notices: [],
    async listen() {
      const { host, port } = config.server;
      const url = await server.listen({ host, port });
      custom.testWalls();
      return { url };
    },
    async close() {
      await server.close();
      await startUp.close();
      await specifications.close();
      await custom.close();
      gate.close();
      await patterns.close();
      await cache?.close();
      await store.close();
    },
  };
}
