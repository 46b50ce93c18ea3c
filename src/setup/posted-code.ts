// The part of the composition root for posted code: sandbox, modules, hooks, and what modules may access.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { CreateCaller } from '../auth/access/callers.ts';
import type { Audit } from '../auth/audit/audit.ts';
import type { AuthService } from '../auth/auth-service.ts';
import type { ClientService } from '../auth/clients/client-service.ts';
import { type Capabilities, createCapabilities } from '../capabilities/capabilities.ts';
import { createEgress } from '../capabilities/egress.ts';
import { createFetchCall } from '../capabilities/fetch-call.ts';
import type { DocumentHooks } from '../collections/hooks/document-hooks.ts';
import type { CollectionRegistry } from '../collections/model/collection.ts';
import type { DocumentService } from '../collections/model/documents.ts';
import type { Config } from '../config/schema.ts';
import type { CountCall } from '../deployment/coordination.ts';
import type { DeploymentMember } from '../deployment/deployment.ts';
import { createEndpointCalls, type EndpointCalls } from '../endpoints/call.ts';
import { createRequestEncoder } from '../endpoints/messages.ts';
import { AppError, toAppError } from '../errors/errors.ts';
import { createHooks } from '../hooks/hooks.ts';
import type { Pause } from '../lib/async/retry.ts';
import { createNameResolver } from '../lib/egress/destination.ts';
import { packageRoot } from '../lib/files/package-files.ts';
import type { Logger } from '../lib/logger.ts';
import { ModuleUsage, type ModuleUsageReport } from '../metrics/module-usage.ts';
import type { ModuleService } from '../modules/model/module-types.ts';
import { createModuleService, type ManagedModuleService } from '../modules/module-service.ts';
import { loadPolicyLimits, type PolicyLimits } from '../modules/policy/policy-limits.ts';
import { createDisabledSandbox } from '../sandbox-supervisor/disabled-sandbox.ts';
import { checkIsolationLevel } from '../sandbox-supervisor/isolation/isolation-levels.ts';
import { createLauncher } from '../sandbox-supervisor/isolation/launcher.ts';
import type { Sandbox, SandboxStatus, UsageObserver } from '../sandbox-supervisor/model/sandbox.ts';
import { createSupervisor } from '../sandbox-supervisor/supervisor.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createPasswordHasher } from '../workers/password-hasher.ts';
import { createUndeclaredNameFinder } from '../workers/undeclared-names.ts';
import type { SharedLimits } from './processes/shared-limits.ts';
import type { Workspace } from './workspace/open-workspace.ts';

const MIN_BUSY_HOSTS = 2;

/** The folder with the audited sandbox code. */
const sandboxFolder = () => new URL('sandbox/', packageRoot());

/** Creates the configured sandbox. No process is started yet. */
export function openSandbox(
  { sandbox, server }: Config,
  usage?: UsageObserver,
  // Commands inspect code, and call none.
  countCall: CountCall = () => true,
): Sandbox {
  if (!sandbox.enabled) return createDisabledSandbox();
  const cores = Math.ceil(availableParallelism() / server.workers);
  const launcher = createLauncher({ root: packageRoot() });
  return createSupervisor({
    launcher,
    selfTest: async (jit) => {
      const { runSelfTest } = await import('../sandbox-supervisor/isolation/self-test.ts');
      return runSelfTest(launcher, { memoryMb: sandbox.hostMemoryMb, jit });
    },
    minimumLevel: sandbox.minimumLevel,
    maxHosts: sandbox.maxHosts,
    busyHosts: Math.min(sandbox.maxHosts, Math.max(MIN_BUSY_HOSTS, cores)),
    hostMemoryMb: sandbox.hostMemoryMb,
    jitDomains: sandbox.jitDomains,
    usage,
    countCall,
  });
}

/** Loads the limits of all policies. Throws CONFIGURATION_INVALID. */
export function loadConfiguredPolicyLimits({ sandbox }: Config, cwd: string): Promise<PolicyLimits> {
  const { policyFile } = sandbox;
  return loadPolicyLimits(sandboxFolder(), policyFile === undefined ? undefined : resolve(cwd, policyFile));
}

/** Runs the self-test, then starts a host if its isolation suffices, and returns the status. */
export async function selfTestedStatus(sandbox: Sandbox, minimumLevel: number): Promise<SandboxStatus> {
  await sandbox.selfTest();
  const suffices = checkIsolationLevel(minimumLevel, sandbox.status().layers) === undefined;
  if (suffices) await sandbox.inspect('module.exports.get = () => {};', 'endpoint');
  return sandbox.status();
}

async function requireLevel(sandbox: Sandbox, { enabled, minimumLevel }: Config['sandbox']): Promise<void> {
  if (!enabled || minimumLevel === 0) return;
  const { layers, selfTest } = await selfTestedStatus(sandbox, minimumLevel);
  const issue = checkIsolationLevel(minimumLevel, layers);
  if (issue === undefined && selfTest.state === 'passed') return;
  const message = issue ?? 'the self-test of the sandbox failed';
  throw new AppError('CONFIGURATION_INVALID', { field: 'sandbox.minimumLevel', message });
}

interface PostedCodeDeps {
  readonly config: Config;
  readonly cwd: string;
  readonly store: DocumentStore;
  readonly workspace: Workspace;
  readonly deployment: DeploymentMember;
  /** Limits on calls that all processes share. */
  readonly sharedLimits: Pick<SharedLimits, 'countCall'>;
  readonly registry: CollectionRegistry;
  readonly createCaller: CreateCaller;
  readonly clients: Pick<ClientService, 'find' | 'findStatus'>;
  readonly auth: Pick<AuthService, 'findClient'>;
  readonly audit: Audit;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pause?: Pause | undefined;
  /** Hears what posted code uses. */
  readonly usage?: UsageObserver | undefined;
}

export interface PostedCode {
  readonly modules: ModuleService;
  /** For the document service. */
  readonly hooks: DocumentHooks;
  /** Gives posted code access to documents. Call it once, before a module runs. */
  connect(documents: DocumentService): EndpointCalls;
  /** What the code of a module has used in the last hour, by the id of the module. */
  readonly usage: (moduleId: string) => ModuleUsageReport;
  readonly sandboxStatus: () => SandboxStatus;
  /** Throws CONFIGURATION_INVALID if the isolation is weaker than configured. */
  requireIsolation(): Promise<void>;
  /** Loads the files of the workspace. Rejects with the store's StoreError; it may be called again then. */
  load(): Promise<void>;
  /** Resolves when all code that `load` has found is inspected. */
  codeLoaded(): Promise<void>;
  /** Runs the self-test in the background and logs the result, unless `requireIsolation` has run it. */
  startSelfTest(): void;
  close(): Promise<void>;
}

/** Calls of `fetch` by modules. Rejected and failed ones are told to `modules`. */
function createModuleFetch(
  { config, now }: Pick<PostedCodeDeps, 'config' | 'now'>,
  { egress }: PolicyLimits,
  modules: Pick<ManagedModuleService, 'onIncident' | 'log'>,
) {
  return createFetchCall({
    egress: createEgress({
      egressAllow: egress.allow,
      secrets: config.sandbox.secrets,
      names: createNameResolver(),
    }),
    now,
    onRejected: ({ moduleVersion: { id: moduleId, version, sha256 }, reason }) => {
      modules.onIncident({ moduleId, version, sha256, kind: 'violation', limit: `fetch ${reason}` });
    },
    onFailure: ({ moduleVersion, requestId, origin, reason }) => {
      const message = `fetch of ${origin} brought no answer: ${reason}`;
      modules.log(moduleVersion, requestId, { level: 'warn', message });
    },
  });
}

function logSelfTest(sandbox: Sandbox, logger: Logger): void {
  selfTestedStatus(sandbox, 0).then(
    ({ level, layers, selfTest, jit }) => {
      const withJit = jit === null ? {} : { selfTestWithJit: jit.selfTest.state };
      const report = { sandboxLevel: level, layers, selfTest: selfTest.state, ...withJit };
      const hasFailed = [selfTest, jit?.selfTest].some((test) => test?.state === 'failed');
      if (!hasFailed) logger.info(report, 'sandbox self-test passed');
      else logger.error(report, 'sandbox self-test failed: see /api/status');
    },
    (error: unknown) => logger.error({ err: error }, 'cannot run the sandbox self-test'),
  );
}

/**
 * Creates everything for endpoints and hooks. No code is read and no process started yet. Documents run hooks, and hooks use
 * documents: `connect` closes this circle once the document service exists.
 */
export async function createPostedCode(deps: PostedCodeDeps): Promise<PostedCode> {
  const { config, cwd, store, registry, createCaller, clients, auth, audit, logger, now } = deps;
  const { limits } = config;
  const { queryMs } = limits;
  const { enabled, review, minimumLevel } = config.sandbox;
  const policyLimits = await loadConfiguredPolicyLimits(config, cwd);
  const undeclaredNames = createUndeclaredNameFinder();
  const hasher = createPasswordHasher();
  const usage = new ModuleUsage(now);
  const sandbox = openSandbox(config, usage.observer(deps.usage), deps.sharedLimits.countCall);
  const counted = usage.around(sandbox);
  const modules = createModuleService({
    store,
    sandbox,
    audit,
    policyLimits,
    review,
    limits,
    queryMs,
    now,
    coordination: deps.deployment,
    workspace: deps.workspace.files,
    folders: deps.workspace.folders,
    findUndeclared: undeclaredNames.find,
    collections: registry,
    log: logger,
    pause: deps.pause,
  });
  sandbox.attach(modules);

  let capabilities: Capabilities | undefined;
  const connectedCapabilities: Capabilities = {
    perform(call, context, signal) {
      if (capabilities === undefined)
        throw new Error('posted code ran before it was connected to the documents');
      return capabilities.perform(call, context, signal);
    },
  };
  const hooks = createHooks({
    modules,
    sandbox: counted,
    limits,
    enabled,
    now,
    log: logger,
    capabilities: connectedCapabilities,
    encodeRequest: createRequestEncoder(),
  });

  return {
    modules,
    hooks,
    connect(documents) {
      capabilities = createCapabilities({
        registry,
        createCaller,
        queryMs,
        now,
        documents,
        store,
        log: logger,
        toAppError,
        // Not one whose id is that of a user of another issuer.
        findClient: async (clientId) => (await clients.findStatus(clientId))?.client,
        findCached: (clientId) => auth.findClient(clientId),
        fetch: createModuleFetch(deps, policyLimits, modules),
        hasher,
      });
      return createEndpointCalls({ sandbox: counted, modules, capabilities, enabled });
    },
    usage: (moduleId) => usage.report(moduleId),
    sandboxStatus: () => sandbox.status(),
    requireIsolation: () => requireLevel(sandbox, config.sandbox),
    load: () => modules.load(),
    codeLoaded: () => modules.codeLoaded(),
    startSelfTest() {
      if (enabled && minimumLevel === 0) logSelfTest(sandbox, logger);
    },
    async close() {
      await hooks.close();
      await modules.close();
      await sandbox.close();
      await undeclaredNames.close();
      await hasher.close();
    },
  };
}
