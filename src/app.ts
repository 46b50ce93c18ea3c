// The composition root: builds adapters, services and the HTTP server from a configuration. Nothing imports it but the cli.
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { openAudit } from './audit-setup.ts';
import { auditActionOfEdit, readAuditedFiles } from './audited-files.ts';
import type { Audit } from './auth/audit/audit.ts';
import { auditOfflineChanges } from './auth/audit/offline-changes.ts';
import { createAuthService } from './auth/auth-service.ts';
import { type ClientService, createClientService } from './auth/clients/client-service.ts';
import { createFirstAdmin } from './auth/clients/first-admin.ts';
import { createDocumentService } from './collections/document-service.ts';
import { createRegistry } from './collections/model/registry.ts';
import { createSpecificationFiles } from './collections/specifications/specification-files.ts';
import { createSpecificationService } from './collections/specifications/specification-service.ts';
import { createConfigStore } from './config/config-store.ts';
import { restrictConfigFile } from './config/file-permissions.ts';
import { SECRET_PATHS } from './config/redact.ts';
import type { Config } from './config/schema.ts';
import type { createDelivery as CreateDelivery, DeliverySetup } from './delivery-setup.ts';
import { AppError, StoreError } from './errors.ts';
import { createContentServer } from './http/server.ts';
import type { Pause } from './lib/async/pause.ts';
import { type ByteQuota, createByteQuota } from './lib/byte-quota.ts';
import { packageVersion } from './lib/files/package-files.ts';
import { createIdSource } from './lib/ids.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { createMediaSetup } from './media-setup.ts';
import { createPostedCode, loadConfiguredPolicyLimits, moduleFolders } from './posted-code.ts';
import { createStartup } from './startup.ts';
import type { MediaStore } from './stores/media-store.ts';
import { openCacheStore } from './stores/open/cache-store.ts';
import { openDocumentStore } from './stores/open/document-store.ts';
import type { CacheStore, DocumentStore } from './stores/ports.ts';
import { createPatternMatcher } from './workers/pattern-matcher.ts';

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
  /** Used in place of the media store that the configuration names. */
  readonly mediaStore?: MediaStore;
  readonly pause?: Pause;
}

export interface FirstAdmin {
  readonly id: string;
  readonly secret: string;
}

export interface App {
  /** For requests without a socket. */
  readonly server: ReturnType<typeof createContentServer>;
  /** The same of delivery, which is made by the first call, or by `listenDelivery`. */
  deliveryServer(): Promise<DeliverySetup['server']>;
  /** Resolves when all is made that needs the database, however late it comes; rejects with what else stops the start. */
  readonly started: Promise<void>;
  /** What the operator should read at the start. */
  readonly notices: readonly string[];
  listen(): Promise<{ readonly url: string }>;
  /** The same for delivery, which has a port of its own. */
  listenDelivery(): Promise<{ readonly url: string }>;
  /** Finishes requests in flight, then closes the stores. */
  close(): Promise<void>;
}

function openStore(
  config: Config,
  { cwd, logger, unsent }: { cwd: string; logger: Logger; unsent: ByteQuota },
): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  const { fits: hasRoom } = unsent;
  return openDocumentStore(config.database, {
    cwd,
    queueLimit,
    queryMs,
    log: logger,
    exclusive: true,
    hasMemoryFor: hasRoom,
  });
}

async function openCache(
  config: Config,
  { cwd, now, log }: { cwd: string; now: () => number; log: Logger },
): Promise<CacheStore | undefined> {
  if (!config.cache.enabled) return undefined;
  return openCacheStore(config.cache, { cwd, now, log });
}

/**
 * Makes the function that opens what a start with another configuration opens, so that a change which would stop the next
 * start is refused. Throws CONFIGURATION_INVALID.
 */
function createTryStart(running: Config, { cwd, now, log }: { cwd: string; now: () => number; log: Logger }) {
  return async (next: Config): Promise<void> => {
    await loadConfiguredPolicyLimits(next, cwd);
    const opens = ({ cache: { enabled, engine, path } }: Config) => ({ enabled, engine, path });
    // The running server has the same cache open.
    if (isDeepStrictEqual(opens(next), opens(running))) return;
    const cache = await openCache(next, { cwd, now, log }).catch((cause: unknown) => {
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
async function warnOfNoReviewer(clients: ClientService, { sandbox }: Config, log: Logger): Promise<void> {
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
async function noteFiles(options: Parameters<typeof auditOfflineChanges>[0]): Promise<void> {
  try {
    await auditOfflineChanges(options);
  } catch (error) {
    if (!(error instanceof StoreError) || error.reason !== 'damaged') throw error;
    options.log.error({ err: error }, 'the audit log does not say which files changed while no server ran');
  }
}

async function ensureClients(
  clients: ClientService,
  makeAdmin: ReturnType<typeof createFirstAdmin>,
  { onFirstAdmin }: Pick<AppOptions, 'onFirstAdmin'>,
): Promise<void> {
  await clients.ensure();
  const made = await makeAdmin();
  if (made !== undefined) onFirstAdmin?.({ id: made.clientId, secret: made.secret });
}

/** Loads delivery in pieces, so that the content API, which listens already, answers between them. */
async function loadDelivery(): Promise<typeof CreateDelivery> {
  const pieces = [
    () => import('./delivery/recipes/recipe-kind.ts'),
    () => import('./delivery/lookups/lookups.ts'),
    () => import('./delivery-images.ts'),
    () => import('./http/delivery/delivery-server.ts'),
  ];
  for (const load of pieces) {
    await load();
    await nextTurn();
  }
  return (await import('./delivery-setup.ts')).createDelivery;
}

/** Builds the whole application. Nothing listens yet. */
export async function createApp(config: Config, options: AppOptions): Promise<App> {
  const { configFile, cwd, now = Date.now } = options;
  const logger = options.logger ?? createLogger({ ...config.logging, secrets: SECRET_PATHS });
  const readable = await restrictConfigFile(configFile);
  if (readable !== undefined) logger.warn({}, readable);
  const newId = createIdSource(now);
  const { limits } = config;
  const { queryMs, unsentBytes } = limits;
  const unsent = createByteQuota(unsentBytes);
  const store = options.store ?? (await openStore(config, { cwd, logger, unsent }));
  const cache = await openCache(config, { cwd, now, log: logger });
  const audit = await openAudit(config, { cwd, store, now, log: logger });
  const clients = createClientService({ store, audit, newId, now, queryMs });
  const isReady = () => startUp.isDone();
  const gate = createAuthService({
    ...{ settings: config.auth, media: config.media },
    ...{ store, clients, isReady: isReady, now, queryMs },
  });
  const patterns = createPatternMatcher();
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
    filterLimits: limits,
    recordEdit: (edit) => audit.record(auditActionOfEdit(edit)),
    queryMs,
    log: logger,
    now,
    pause: options.pause,
  });
  const media = await createMediaSetup({
    ...{ config, cwd, documents: store, newId, now, logger },
    ...{ pause: options.pause, mediaStore: options.mediaStore },
  });
  const { removals } = media;
  const custom = await createPostedCode({
    ...{ config, cwd, store, registry, clients, gate, audit, logger, now, pause: options.pause },
    createDocuments: (hooks) =>
      createDocumentService({ store, registry, limits, newId, now, patterns, hooks, removals }),
  });
  await specifications.load();
  await custom.requireIsolation();
  const auditedFiles = () =>
    readAuditedFiles({
      configFile,
      specifications: createSpecificationFiles(specificationRoot),
      folders: moduleFolders(config, cwd),
      maxBytes: limits.endpointCodeBytes,
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
  const startUp = createStartup({ steps, store, log: logger, pause: options.pause });
  await startUp.start();
  startUp.done.then(media.start, () => undefined);

  const shared = {
    ...{ config, logger, audit, isReady, unsent, cache, store, now, newId },
    login: gate.login,
    tokens: gate.tokens,
  };
  let delivery: Promise<DeliverySetup> | undefined;
  // Behind the start of the content API, and not at all in a process that serves nothing else.
  const openDelivery = () => {
    delivery ??= loadDelivery().then((create) => create({ ...shared, cwd, mediaStore: media.store }));
    return delivery;
  };
  const server = createContentServer({
    ...shared,
    version: packageVersion(),
    registry,
    specifications,
    documents: custom.documents,
    media: media.createService(custom.documents),
    modules: custom.modules,
    calls: custom.calls,
    sandboxEnabled: config.sandbox.enabled,
    sandboxStatus: custom.sandboxStatus,
    clients,
    uploadTokens: gate.uploadTokens,
    configStore: createConfigStore({
      config,
      file: configFile,
      tryStart: createTryStart(config, { cwd, now, log: logger }),
    }),
  });
  await server.ready();

  return {
    server,
    deliveryServer: async () => (await openDelivery()).server,
    started: startUp.done,
    notices: [],
    async listen() {
      const { host, port } = config.server;
      const url = await server.listen({ host, port });
      custom.startSelfTest();
      return { url };
    },
    async listenDelivery() {
      const { host, port } = config.delivery;
      const { server: deliveryServer } = await openDelivery();
      return { url: await deliveryServer.listen({ host, port }) };
    },
    async close() {
      // Whoever opened delivery has heard of a failure.
      const opened = await delivery?.catch(() => undefined);
      await Promise.all([server.close(), opened?.close()]);
      await startUp.close();
      await media.close();
      await specifications.close();
      await custom.close();
      gate.close();
      await patterns.close();
      await cache?.close();
      await store.close();
    },
  };
}
