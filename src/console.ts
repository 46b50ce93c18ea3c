// The composition root of console commands, which work beside a server or without one.
import { resolve } from 'node:path';
import { checkAudit, openAudit } from './audit-log.ts';
import type { AuditReport } from './auth/audit-verify.ts';
import { type Clients, createClients } from './auth/clients.ts';
import { SECRET_PATHS } from './config/redact.ts';
import type { Config } from './config/schema.ts';
import { moduleFolders, NO_MODULES, openCeilings, openSandbox, testedStatus } from './custom-code.ts';
import { checkDefinitions } from './delivery/definitions/check.ts';
import type { FileProblem } from './delivery/definitions/definition.ts';
import { RECIPES } from './delivery/recipes/recipe-kind.ts';
import { ROUTES } from './delivery/routes/route.ts';
import { createModuleCheck, type ModuleCheck } from './endpoints/check.ts';
import { isAddress, keyOf } from './endpoints/modules/address.ts';
import { createModuleFiles, type ModuleFiles } from './endpoints/modules/files.ts';
import { giveOrder } from './endpoints/modules/orders.ts';
import { readStates } from './endpoints/modules/records.ts';
import { readSandboxReport, type SandboxReport } from './endpoints/modules/report.ts';
import type { ModuleAddress } from './endpoints/modules.ts';
import type { Sandbox, SandboxStatus } from './endpoints/sandbox.ts';
import { AppError } from './errors.ts';
import { createIdSource } from './lib/ids.ts';
import { createLogger, type Logger, logOfCommands } from './lib/logger.ts';
import { type CopyFilesDeps, type CopyState, copyFiles } from './media/copy-files.ts';
import { copyRecords } from './media/copy-records.ts';
import { namespaceOf, openMediaStore } from './media-setup.ts';
import { openDocuments, openStoredDataCheck } from './stores/documents.ts';
import type { DocumentStore } from './stores/ports.ts';
import type { DataCheck } from './stores/sqlite-documents/data-check.ts';
import { createExport, type Exporter } from './transfer/export.ts';
import { createImport, type Importer } from './transfer/import.ts';
import { openOutputFile } from './transfer/output-file.ts';
import { createUndeclaredNames } from './workers/undeclared-names.ts';

interface Surroundings {
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
}

/** Opens the check of endpoints, hooks and policies. Throws CONFIGURATION_INVALID when the ceilings cannot be read. */
export async function openModuleCheck(
  config: Config,
  { cwd }: Surroundings,
): Promise<ModuleCheck & { close(): Promise<void> }> {
  const ceilings = await openCeilings(config, cwd);
  const sandbox = openSandbox(config, NO_MODULES);
  const undeclared = createUndeclaredNames();
  const folders = moduleFolders(config, cwd);
  const { limits } = config;
  return {
    ...createModuleCheck({ folders, sandbox, undeclared: undeclared.find, ceilings, limits }),
    async close() {
      await sandbox.close();
      await undeclared.close();
    },
  };
}

/** What is known without the self-test, where custom code is switched off or no process starts. */
async function statusOf(sandbox: Sandbox, minimumLevel: number): Promise<SandboxStatus> {
  try {
    return await testedStatus(sandbox, minimumLevel);
  } catch (error) {
    if (error instanceof AppError) return sandbox.status();
    throw error;
  }
}

const hasCode = async (files: ModuleFiles, address: ModuleAddress) =>
  isAddress(address) && (await files.read(address, 'code')).state !== 'absent';

const logOf = (config: Config): Logger =>
  createLogger({ ...logOfCommands(config.logging), secrets: SECRET_PATHS });

function openStore(config: Config, cwd: string): Promise<DocumentStore> {
  const { writeQueue: queueLimit, queryMs } = config.limits;
  return openDocuments(config.database, { cwd, queueLimit, queryMs, log: logOf(config) });
}

/** Tells whether the settings of the database can be read, as far as that goes without it. Throws CONFIGURATION_INVALID. */
export async function checkDatabase(config: Config, { cwd }: Surroundings): Promise<void> {
  // To open the embedded one is to make it, and there is nothing about it that could not be read.
  if (config.database.engine === 'sqlite') return;
  const store = await openStore(config, cwd);
  await store.close();
}

/** Checks routes and recipes. Empty: all is well. */
export function checkDelivery(config: Config, { cwd }: Surroundings): Promise<readonly FileProblem[]> {
  const folderOf = (folder: string) => resolve(cwd, config.workspace.path, folder);
  const folders = { routes: folderOf(config.paths.routes), recipes: folderOf(config.paths.recipes) };
  return checkDefinitions({ folders, routes: ROUTES, recipes: RECIPES });
}

/**
 * Opens the data for `cloister check --data`: `none` where there are none yet, `served` where a database server keeps them.
 * Throws `unavailable` for data that cannot be read.
 */
export function openData({ database }: Config, { cwd }: Surroundings): DataCheck | 'none' | 'served' {
  if (database.engine !== 'sqlite') return 'served';
  return openStoredDataCheck(database, { cwd }) ?? 'none';
}

/** Opens the clients of the configured database for one command. */
export async function openClients(
  config: Config,
  { cwd }: Surroundings,
): Promise<{ readonly clients: Clients; close(): Promise<void> }> {
  const store = await openStore(config, cwd);
  const { queryMs } = config.limits;
  try {
    const log = logOf(config);
    const audit = await openAudit(config, { cwd, store, now: Date.now, log, strict: true });
    const clients = createClients({ store, audit, newId: createIdSource(), now: Date.now, queryMs });
    await clients.ensure();
    return { clients, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Checks the audit log for `cloister audit verify`, from the entry with the number `after` on. */
export async function readAuditReport(
  config: Config,
  { cwd, after }: Surroundings & { readonly after: number },
): Promise<AuditReport> {
  const store = await openStore(config, cwd);
  try {
    return await checkAudit(config, { cwd, store, after });
  } finally {
    await store.close();
  }
}

/**
 * Opens the switch for posted code. `order` throws NOT_FOUND for a module that neither the database nor the workspace knows,
 * and what the store throws.
 */
export async function openSwitch(
  config: Config,
  { cwd }: Surroundings,
): Promise<{
  order(address: ModuleAddress, action: 'suspend' | 'resume'): Promise<void>;
  close(): Promise<void>;
}> {
  const store = await openStore(config, cwd);
  const { queryMs, endpointCodeBytes } = config.limits;
  const options = { store, now: Date.now, queryMs };
  const files = createModuleFiles({ folders: moduleFolders(config, cwd), maxBytes: endpointCodeBytes });
  return {
    async order(address, action) {
      const state = (await readStates(options)).find(({ key }) => key === keyOf(address));
      const isThere = state !== undefined || (await hasCode(files, address));
      if (!isThere) throw new AppError('NOT_FOUND', { message: `there is no ${address.kind} of this name` });
      const audit = await openAudit(config, { cwd, store, now: Date.now, log: logOf(config), strict: true });
      await giveOrder({ ...options, audit }, address, { action, sha256: state?.active?.sha256 ?? null });
    },
    close: () => store.close(),
  };
}

/** Reads the report for `cloister sandbox audit`, with walls of its own: a server may run beside it or not. */
export async function readAudit(config: Config, { cwd }: Surroundings): Promise<SandboxReport> {
  const ceilings = await openCeilings(config, cwd);
  const sandbox = openSandbox(config, NO_MODULES);
  const { limits } = config;
  const { queryMs } = limits;
  const store = await openStore(config, cwd);
  try {
    const status = await statusOf(sandbox, config.sandbox.minimumLevel);
    const folders = moduleFolders(config, cwd);
    return await readSandboxReport({ store, folders, ceilings, limits, queryMs, now: Date.now, status });
  } finally {
    await sandbox.close();
    await store.close();
  }
}

/** What `cloister export` and `cloister import` work with. */
export interface Transfer {
  readonly exporter: Exporter;
  readonly import: Importer;
  readonly openOutput: typeof openOutputFile;
  close(): Promise<void>;
}

/** Opens the documents of the configured database for moving them. A server may run beside it. */
export async function openTransfer(config: Config, { cwd }: Surroundings): Promise<Transfer> {
  const store = await openStore(config, cwd);
  const options = { store, separateDatabases: config.database.enableCollectionDatabases, now: Date.now };
  return {
    exporter: createExport(options),
    import: createImport(options),
    openOutput: openOutputFile,
    close: () => store.close(),
  };
}

export { mediaFolderIssues } from './media-setup.ts';

/** What `cloister media copy` works with. */
export interface MediaCopy {
  /** Bytes and number of the files of the source. */
  measure(): Promise<{ readonly files: number; readonly bytes: number }>;
  files(watch: Pick<CopyFilesDeps, 'signal' | 'onProgress' | 'onFailure'>): Promise<CopyState>;
  /** Corrects `path` and `cloudUrl` of records; gives the number of those that were written. */
  records(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Opens both media stores, and the database with the records. A server may run beside it. */
export async function openMediaCopy(
  config: Config,
  { cwd, to }: Surroundings & { readonly to: Config['media']['storage'] },
): Promise<MediaCopy> {
  const log = logOf(config);
  const { queryMs } = config.limits;
  const now = Date.now;
  const documents = await openStore(config, cwd);
  const source = await openMediaStore(config, { cwd, now, log, storage: to === 's3' ? 'disk' : 's3' });
  const target = await openMediaStore(config, { cwd, now, log, storage: to });
  const spaceOf = (key: string) => namespaceOf(key, config.database.enableCollectionDatabases);
  const contentTypeOf = async (key: string) => {
    const filter = {
      kind: 'field',
      path: 'path',
      tests: [{ kind: 'eq', value: source.pathOf(key) }],
    } as const;
    const query = { filter, sort: [], skip: 0, limit: 1, projection: { include: ['mimetype'] } };
    const [record] = await documents.find(spaceOf(key), query, { deadline: now() + queryMs });
    return typeof record?.['mimetype'] === 'string' ? record['mimetype'] : 'application/octet-stream';
  };
  return {
    async measure() {
      let [files, bytes] = [0, 0];
      for await (const { size } of source.list()) {
        files += 1;
        bytes += size;
      }
      return { files, bytes };
    },
    files: (watch) => copyFiles({ source, target, contentTypeOf, ...watch }),
    records: (signal) => copyRecords({ documents, target, namespaceOf: spaceOf, now, queryMs, signal }),
    async close() {
      await source.close();
      await target.close();
      await documents.close();
    },
  };
}
