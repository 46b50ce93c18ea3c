// The composition root of the server: builds stores, services and HTTP servers from a configuration. Only the CLI imports it.
import { createCallers } from '../auth/access/callers.ts';
import { createAuthService, loadIssuerTokens } from '../auth/auth-service.ts';
import { createClientService } from '../auth/clients/client-service.ts';
import type { HashCost } from '../auth/clients/secret-hash.ts';
import { createSiteRegistry } from '../collections/default-bucket.ts';
import { createDocumentService } from '../collections/document-service.ts';
import { createSpecificationFiles } from '../collections/specifications/specification-files.ts';
import { createSpecificationService } from '../collections/specifications/specification-service.ts';
import { SECRET_PATHS } from '../config/build-config.ts';
import { restrictConfigFile } from '../config/config-file.ts';
import { createConfigStore } from '../config/config-store.ts';
import { assertFolders } from '../config/folder-check.ts';
import type { Config } from '../config/schema.ts';
import { configOfWorker } from '../config/worker-share.ts';
import type { createContentServer as CreateContentServer } from '../http/content-server.ts';
import { type ByteQuota, createByteQuota } from '../lib/async/concurrency.ts';
import type { Pause } from '../lib/async/retry.ts';
import { settleWithin } from '../lib/async/timeout.ts';
import { LONG_TEXT_COST } from '../lib/chunked-text.ts';
import { builtAdminFolder, builtDocsFolder, packageVersion } from '../lib/files/package-files.ts';
import { createIdSource } from '../lib/ids.ts';
import { createLogger, type Logger } from '../lib/logger.ts';
import type { MediaStore } from '../stores/media-store.ts';
import { openResponseCache } from '../stores/open/cache-store.ts';
import { isSoleProcess, openDocumentStore } from '../stores/open/document-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createPatternWorker } from '../workers/pattern-worker.ts';
import { auditActionOfEdit, createConfiguredAudit, openConfiguredAuditFolder } from './audit.ts';
import type { DeliverySetup } from './delivery.ts';
import { createLazyDelivery } from './lazy-delivery.ts';
import { createMediaSetup } from './media.ts';
import { createMetrics } from './metrics.ts';
import { createPostedCode } from './posted-code.ts';
import { openDeployment } from './processes/deployment.ts';
import type { WorkerMetrics } from './processes/worker-link.ts';
import type { WorkerOrder } from './processes/worker-messages.ts';
import { createServerReport } from './server-report.ts';
import { createStartup } from './startup.ts';
import { createStartupSteps, type FirstAdmin } from './startup-steps.ts';
import { createTryStart, type StartEnvironment } from './try-start.ts';
import { openServerWorkspace } from './workspace/server-workspace.ts';

/**
 * Milliseconds that the steps of a start have before the HTTP server is loaded. After some five a thread hashes the secret of
 * the configured admin, or a database server is asked: the server is loaded while they wait for that.
 */
const HEAD_START_MS = 10;

interface AppWorker extends Pick<WorkerOrder, 'number' | 'isFirst'> {
  readonly metrics: WorkerMetrics;
}

interface AppOptions {
  /** Absolute path of the configuration file, which need not exist. */
  readonly configFile: string;
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
  readonly logger?: Logger;
  /** Epoch milliseconds. */
  readonly now?: () => number;
  /** Called with the admin that this start creates, whose secret is shown once: before `createApp` resolves, or later. */
  readonly onFirstAdmin?: (admin: FirstAdmin) => void;
  /** Replaces the store that the configuration names. */
  readonly store?: DocumentStore;
  /** Replaces the media store that the configuration names. */
  readonly mediaStore?: MediaStore;
  readonly pause?: Pause;
  /** Folder of the built admin page; that of the package unless given. */
  readonly adminFolder?: string;
  /** Folder of the built page of the API description; that of the package unless given. */
  readonly docsFolder?: string;
  /** How many files were opened and never closed: none are known of unless given. */
  readonly leakedFiles?: () => number;
  /** Where this process is one of `server.workers`: its number, and whether none of the others has listened yet. */
  readonly worker?: AppWorker | undefined;
  /** Cost of hashes of client secrets, if it is not to be that of production. */
  readonly hashCost?: HashCost;
}

export interface App {
  /** The HTTP server. Requests may be injected into it before it listens. */
  readonly server: ReturnType<typeof CreateContentServer>;
  /** The delivery server, for requests without a socket. The first call creates it, or `listenDelivery` does. */
  deliveryServer(): Promise<DeliverySetup['server']>;
  /** Resolves when startup is complete, however late the database connects; rejects with any other error of a start. */
  readonly started: Promise<void>;
  /** Resolves when all code that the start has found is inspected. */
  codeLoaded(): Promise<void>;
  /** Lines that the operator should read at the start. */
  readonly notices: readonly string[];
  listen(): Promise<{ readonly url: string }>;
  /** Listens for delivery, which has a port of its own. */
  listenDelivery(): Promise<{ readonly url: string }>;
  /** Begins the self-test of the sandbox, where the content API is served. Call it once the listeners are open. */
  startSelfTest(): void;
  /** Finishes requests in flight, then closes the stores. Whoever calls it bounds the time: `cloister start` by `shutdownSeconds`. */
  close(): Promise<void>;
}

interface OwnerOfStore {
  /** Id of this process. */
  readonly owner: string;
  readonly unsent: ByteQuota;
}

function openStore(
  config: Config,
  { cwd, logger, unsent, owner }: Pick<StartEnvironment, 'cwd' | 'logger'> & OwnerOfStore,
): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  const hasMemoryFor = (bytes: number) => unsent.fits(bytes * LONG_TEXT_COST);
  // The lock of several workers is held by the process that started them.
  const exclusive = isSoleProcess(config);
  const shared = { exclusive, isShared: !exclusive };
  const options = { cwd, queueLimit, queryMs, log: logger, ...shared, owner, hasMemoryFor };
  return openDocumentStore(config.database, options);
}

/** Builds the whole application and runs its startup. Nothing listens yet. */
export async function createApp(machineConfig: Config, options: AppOptions): Promise<App> {
  const { configFile, cwd, now = Date.now, pause, worker } = options;
  const config = configOfWorker(machineConfig, worker?.number ?? 1);
  const { limits } = config;
  const { queryMs } = limits;
  const logger = options.logger ?? createLogger({ ...config.logging, secrets: SECRET_PATHS });
  const warning = await restrictConfigFile(configFile);
  const folderWarnings = await assertFolders(config, { cwd, configFile });
  for (const text of [...(warning === undefined ? [] : [warning]), ...folderWarnings]) logger.warn({}, text);

  // Stores, and what stays in memory for slow clients.
  const generateId = createIdSource(now);
  const unsent = createByteQuota(limits.unsentBytes);
  const metrics = createMetrics(config, worker);
  const processId = generateId();
  const opened = options.store ?? (await openStore(config, { cwd, logger, unsent, owner: processId }));
  const cache = await openResponseCache(config.cache, { cwd, now, log: logger });
  const auditFolder = await openConfiguredAuditFolder(config, { cwd, store: opened, now });
  const {
    deployment,
    store: fenced,
    settled,
    cacheMarks,
    sharedLimits,
    closeShared,
  } = await openDeployment(config, {
    ...{ store: opened, id: processId, cache, cwd, logger, now },
    auditKeyId: auditFolder.keyId,
    isFirst: worker?.isFirst ?? false,
  });
  const store = metrics?.store.around(fenced) ?? fenced;
  const startup = createStartup({ store, log: logger, pause });
  const isReady = startup.isDone;
  const workspace = openServerWorkspace(config, { cwd, store, deployment });

  // Who may do what, and the record of it.
  const audit = createConfiguredAudit(config, { folder: auditFolder, store, now, log: logger });
  const clients = createClientService({
    ...{ store, audit, generateId, now, queryMs, hashCost: options.hashCost },
    announce: (target) => deployment.announce({ kind: 'client', target }),
    issuerNames: config.auth.issuers.map(({ name }) => name),
  });
  const auth = createAuthService({
    ...{ settings: config.auth, media: config.media },
    ...{ store, clients, isReady, now, queryMs },
    failures: sharedLimits.failures,
    issuerTokens: await loadIssuerTokens(config.auth, { log: logger, now }),
  });

  deployment.onChange('client', async () => auth.forgetClients());

  // Media, posted code, and the documents of both.
  const registry = createSiteRegistry(config);
  const createCaller = createCallers(registry);
  const patterns = createPatternWorker();
  const media = await createMediaSetup({
    ...{ config, cwd, documents: store, generateId, now, logger, pause },
    mediaStore: options.mediaStore,
  });
  const postedCode = await createPostedCode({
    config,
    ...{ cwd, store, workspace, deployment, sharedLimits, registry, createCaller },
    ...{ clients, auth, audit, logger, now, pause },
    usage: metrics?.usage,
  });
  const { modules, hooks } = postedCode;
  const documents = createDocumentService({
    ...{ store, registry, limits, generateId, now, patterns, hooks },
    removals: media.removals,
    useVersionFilter: config.query.useVersionFilter,
    log: logger,
  });
  const accepted = postedCode.connect(documents);
  const calls = metrics?.endpoints.around(accepted) ?? accepted;
  const specifications = createSpecificationService({
    ...{ registry, store, queryMs, log: logger, now, pause, coordination: deployment },
    commitsSettled: settled,
    files: createSpecificationFiles(workspace.folders.collections, workspace.files),
    enableCollectionDatabases: config.database.enableCollectionDatabases,
    defaultBucket: config.media.defaultBucket,
    isEndpoint: (apiVersion, name) =>
      modules.registry.get({ kind: 'endpoint', apiVersion, name }) !== undefined,
    filterLimits: limits,
    hooks: { has: (name) => modules.registry.get({ kind: 'hook', name }) !== undefined },
    recordEdit: (edit) => audit.record(auditActionOfEdit(edit)),
  });
  if (workspace.isReadableAtOnce) await specifications.load();
  await postedCode.requireIsolation();

  const starting = startup.start(
    createStartupSteps({
      ...{ config, store, deployment, audit, clients, auth, specifications, postedCode, log: logger, now },
      loadsSpecifications: !workspace.isReadableAtOnce,
      onFirstAdmin: options.onFirstAdmin,
      auditedFiles: {
        configFile,
        workspace,
        maxBytes: limits.endpointCodeBytes,
      },
    }),
  );
  await settleWithin(starting, HEAD_START_MS);
  const [{ createContentServer }] = await Promise.all([import('../http/content-server.ts'), starting]);
  startup.done.then(media.start, () => undefined);

  const shared = {
    ...{ config, logger, audit, isReady, unsentBytes: unsent, cache, store, now, generateId },
    ...{ login: auth.login, tokens: auth.tokens, createCaller, deployment, cacheMarks },
  };
  const version = packageVersion();
  const { sandboxStatus } = postedCode;
  const listeners = metrics?.listeners({ version, unsentBytes: unsent, sandboxStatus, modules, deployment });
  const delivery = createLazyDelivery({
    ...shared,
    ...{ counts: metrics, metrics: listeners?.delivery, cwd, workspace, started: startup.done, registry },
    ...{ records: documents, mediaStore: media.store },
  });
  const server = createContentServer({
    ...shared,
    ...{ registry, specifications, documents, modules, calls, clients },
    ...{ version, sandboxStatus, metrics: listeners?.content, definitions: delivery.administration },
    usage: postedCode.usage,
    serverReport: createServerReport({
      ...{ config, store, cache, audit, unsentBytes: unsent, sandboxStatus, metrics, now },
      uploads: media.uploads,
    }),
    media: media.createService(documents),
    sandboxEnabled: config.sandbox.enabled,
    adminFolder: options.adminFolder ?? builtAdminFolder(),
    docsFolder: options.docsFolder ?? builtDocsFolder(),
    leakedFiles: options.leakedFiles ?? (() => 0),
    uploadTokens: auth.uploadTokens,
    configStore: createConfigStore({
      config: machineConfig,
      file: configFile,
      tryStart: createTryStart(machineConfig, { cwd, logger, now }, configFile),
    }),
  });
  await server.ready();

  return {
    server,
    deliveryServer: delivery.server,
    started: startup.done,
    codeLoaded: postedCode.codeLoaded,
    notices: workspace.notices,
    async listen() {
      const { host, port } = config.server;
      const url = await server.listen({ host, port });
      deployment.setAddress(url.slice('http://'.length));
      return { url };
    },
    async listenDelivery() {
      const { host, port } = config.delivery;
      const deliveryServer = await delivery.server();
      return { url: await deliveryServer.listen({ host, port }) };
    },
    startSelfTest() {
      if (server.server.listening) postedCode.startSelfTest();
    },
    async close() {
      await Promise.all([server.close(), delivery.closeServer()]);
      deployment.beginClose();
      await delivery.close();
      await startup.close();
      await media.close();
      await specifications.close();
      await postedCode.close();
      auth.close();
      await patterns.close();
      await cache?.close();
      await closeShared();
      await deployment.close();
      await store.close();
    },
  };
}
