// The composition root of CLI commands: opens what a command needs, whether or not a server is running.
import type { AuditReport } from '../auth/audit/audit-verify.ts';
import { type ClientService, createClientService } from '../auth/clients/client-service.ts';
import { SECRET_PATHS } from '../config/build-config.ts';
import { assertRestored } from '../config/data-folder.ts';
import type { Config } from '../config/schema.ts';
import { checkDefinitions } from '../delivery/check-definitions.ts';
import type { DefinitionFileIssue } from '../delivery/definitions/definition.ts';
import { RECIPE_KIND } from '../delivery/recipes/recipe.ts';
import { ROUTE_KIND } from '../delivery/routes/route.ts';
import { announceChange, awaitInForce, type Reached } from '../deployment/command-change.ts';
import { type DeploymentReport, reportProcesses } from '../deployment/process-report.ts';
import { AppError } from '../errors/errors.ts';
import { createIdSource } from '../lib/ids.ts';
import { commandLogOptions, createLogger, type Logger } from '../lib/logger.ts';
import { type CopyFilesDeps, type CopyState, copyFiles } from '../media/copy-files.ts';
import { copyRecords } from '../media/copy-records.ts';
import { createModuleFiles, type ModuleFiles } from '../modules/lifecycle/module-files.ts';
import { storeOperatorOrder } from '../modules/lifecycle/operator-orders.ts';
import { isModuleAddress, type ModuleAddress, moduleKey } from '../modules/model/module-types.ts';
import { createModuleCheck, type ModuleCheck } from '../modules/module-check.ts';
import { createSandboxReport, type SandboxReport } from '../modules/sandbox-report.ts';
import { loadModuleStates } from '../modules/versions/module-records.ts';
import type { Sandbox, SandboxStatus } from '../sandbox-supervisor/model/sandbox.ts';
import {
  type DatabaseCheck,
  isEmbeddedDatabase,
  isSoleProcess,
  openDatabaseCheck,
  openDocumentStore,
} from '../stores/open/document-store.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createUndeclaredNameFinder } from '../workers/undeclared-names.ts';
import { openAudit, openAuditVerification } from './audit.ts';
import { namespaceOfMediaKey, openMediaStore } from './media.ts';
import { loadConfiguredPolicyLimits, openSandbox, selfTestedStatus } from './posted-code.ts';
import { changeDeps } from './workspace/change-deps.ts';
import { type CommandWorkspace, openCommandWorkspace } from './workspace/command-workspace.ts';
import { openWorkspaceOf, type Workspace } from './workspace/open-workspace.ts';

interface RunDirectory {
  /** The run directory: relative paths of the configuration start here. */
  readonly cwd: string;
}

/** Opens the check of endpoints, hooks and policies. Throws CONFIGURATION_INVALID if the policy limits cannot be read. */
export async function openModuleChecker(
  config: Config,
  { cwd, workspace }: RunDirectory & { readonly workspace: Workspace },
): Promise<ModuleCheck & { close(): Promise<void> }> {
  const policyLimits = await loadConfiguredPolicyLimits(config, cwd);
  const sandbox = openSandbox(config);
  const undeclared = createUndeclaredNameFinder();
  const { limits } = config;
  return {
    ...createModuleCheck({
      workspace: workspace.files,
      folders: workspace.folders,
      sandbox,
      findUndeclared: undeclared.find,
      policyLimits,
      limits,
    }),
    async close() {
      await sandbox.close();
      await undeclared.close();
    },
  };
}

/** The status after a self-test; without one if custom code is switched off or no process starts. */
async function statusOf(sandbox: Sandbox, minimumLevel: number): Promise<SandboxStatus> {
  try {
    return await selfTestedStatus(sandbox, minimumLevel);
  } catch (error) {
    if (error instanceof AppError) return sandbox.status();
    throw error;
  }
}

const hasCode = async (files: ModuleFiles, address: ModuleAddress) =>
  isModuleAddress(address) && (await files.read(address, 'code')).state !== 'absent';

/** The log of a command. */
export const logOf = (config: Config): Logger =>
  createLogger({ ...commandLogOptions(config.logging), secrets: SECRET_PATHS });

/** Opens the configured database. Throws CONFIGURATION_INVALID where a restore into it was interrupted. */
export async function openStore(config: Config, cwd: string): Promise<DocumentStore> {
  assertRestored(config, cwd);
  const { writeQueue: queueLimit, queryMs } = config.limits;
  return openDocumentStore(config.database, { cwd, queueLimit, queryMs, log: logOf(config) });
}

/** Validates the database settings as far as possible without connecting. Throws CONFIGURATION_INVALID. */
export async function checkDatabase(config: Config, { cwd }: RunDirectory): Promise<void> {
  // Opening the embedded database would create it, and its settings cannot be wrong.
  if (isEmbeddedDatabase(config.database)) return;
  const store = await openStore(config, cwd);
  await store.close();
}

/** Returns the issues of routes and recipes. */
export function checkDelivery(
  { delivery }: Pick<Config, 'delivery'>,
  { files, folders }: Workspace,
): Promise<readonly DefinitionFileIssue[]> {
  const { plainRecipe } = delivery;
  return checkDefinitions({
    ...{ workspace: files, folders, routes: ROUTE_KIND, recipes: RECIPE_KIND, plainRecipe },
  });
}

/** Opens the configured workspace for a command. */
export const openWorkspace = (config: Config, { cwd }: RunDirectory): Promise<CommandWorkspace> =>
  openCommandWorkspace(config, { cwd, openStore });

/** Opens what `cloister check --data` looks at. Rejects with `unavailable` if a data file cannot be read. */
export async function openDataCheck(config: Config, { cwd }: RunDirectory): Promise<DatabaseCheck> {
  assertRestored(config, cwd);
  const { queryMs } = config.limits;
  return openDatabaseCheck(config.database, { cwd, queryMs, log: logOf(config) });
}

/** Opens the clients of the configured database. */
export async function openClientService(
  config: Config,
  { cwd }: RunDirectory,
): Promise<{ readonly clients: ClientService; close(): Promise<void> }> {
  const store = await openStore(config, cwd);
  const { queryMs } = config.limits;
  try {
    const log = logOf(config);
    const audit = await openAudit(config, { cwd, store, now: Date.now, log, strict: true });
    const clients = createClientService({
      store,
      audit,
      // A server that is not told finds out within three seconds.
      announce: async (target) => {
        await announceChange(changeDeps(config, store), { kind: 'client', target }).catch(() => 0);
      },
      generateId: createIdSource(),
      now: Date.now,
      queryMs,
      issuerNames: config.auth.issuers.map(({ name }) => name),
    });
    await clients.ensureIndexes();
    return { clients, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Verifies the audit log for `cloister audit verify`, from the entry after number `after`. */
export async function verifyAuditLog(
  config: Config,
  { cwd, after }: RunDirectory & { readonly after: number },
): Promise<AuditReport> {
  const store = await openStore(config, cwd);
  try {
    return await openAuditVerification(config, { cwd, store, after });
  } finally {
    await store.close();
  }
}

/**
 * Opens suspension of posted code. `order` throws NOT_FOUND for a module that is in neither the database nor the workspace,
 * and what the store throws.
 */
export async function openSuspension(
  config: Config,
  { cwd }: RunDirectory,
): Promise<{
  /** Resolves with the servers that obey. */
  order(address: ModuleAddress, action: 'suspend' | 'resume'): Promise<Reached>;
  close(): Promise<void>;
}> {
  const store = await openStore(config, cwd);
  const { queryMs, endpointCodeBytes } = config.limits;
  const options = { store, now: Date.now, queryMs };
  const { files: workspace, folders } = openWorkspaceOf(config, { cwd, store });
  const files = createModuleFiles({ workspace, folders, maxBytes: endpointCodeBytes });
  return {
    async order(address, action) {
      const state = (await loadModuleStates(options)).find(({ key }) => key === moduleKey(address));
      const isThere = state !== undefined || (await hasCode(files, address));
      if (!isThere) throw new AppError('NOT_FOUND', { message: `there is no ${address.kind} of this name` });
      const audit = await openAudit(config, { cwd, store, now: Date.now, log: logOf(config), strict: true });
      await storeOperatorOrder({ ...options, audit }, address, {
        action,
        sha256: state?.active?.sha256 ?? null,
      });
      const deps = changeDeps(config, store);
      const seq = await announceChange(deps, { kind: 'module-order', target: moduleKey(address) });
      return awaitInForce(deps, seq);
    },
    close: () => store.close(),
  };
}

/** Looks which servers run on the configured database. Rejects with what the store throws. */
export async function readDeploymentReport(config: Config, { cwd }: RunDirectory): Promise<DeploymentReport> {
  const store = await openStore(config, cwd);
  try {
    return await reportProcesses({ ...changeDeps(config, store), isSole: isSoleProcess(config) });
  } finally {
    await store.close();
  }
}

/** Creates the report for `cloister sandbox audit` with a sandbox of its own, whether or not a server is running. */
export async function loadSandboxReport(config: Config, { cwd }: RunDirectory): Promise<SandboxReport> {
  const policyLimits = await loadConfiguredPolicyLimits(config, cwd);
  const sandbox = openSandbox(config);
  const { limits } = config;
  const store = await openStore(config, cwd);
  try {
    const status = await statusOf(sandbox, config.sandbox.minimumLevel);
    const { files: workspace, folders } = openWorkspaceOf(config, { cwd, store });
    return await createSandboxReport({
      store,
      workspace,
      folders,
      policyLimits,
      limits,
      queryMs: limits.queryMs,
      now: Date.now,
      status,
    });
  } finally {
    await sandbox.close();
    await store.close();
  }
}

/** The services of `cloister media copy`. */
export interface MediaCopy {
  /** Counts the files of the source and their bytes. */
  measure(): Promise<{ readonly files: number; readonly bytes: number }>;
  files(watch: Pick<CopyFilesDeps, 'signal' | 'onProgress' | 'onFailure'>): Promise<CopyState>;
  /** Updates `path` and `cloudUrl` of records and returns the number of updated ones. */
  records(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** The storage that files are copied from, by the one that they are copied to. */
const OTHER_STORAGE = { disk: 's3', s3: 'disk' } as const satisfies Record<
  Config['media']['storage'],
  Config['media']['storage']
>;

/** Opens both media stores and the database with the records. A server may be running. */
export async function openMediaCopy(
  config: Config,
  { cwd, to }: RunDirectory & { readonly to: Config['media']['storage'] },
): Promise<MediaCopy> {
  const log = logOf(config);
  const { queryMs } = config.limits;
  const now = Date.now;
  const documents = await openStore(config, cwd);
  const source = await openMediaStore(config, { cwd, now, log, storage: OTHER_STORAGE[to] });
  const target = await openMediaStore(config, { cwd, now, log, storage: to });
  const spaceOf = (key: string) => namespaceOfMediaKey(key, config.database.enableCollectionDatabases);
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
