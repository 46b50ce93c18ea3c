// The part of the composition root that is about posted code: the sandbox, the modules, what they may ask for, the hooks.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Audit } from './auth/audit/audit.ts';
import type { AuthService } from './auth/auth-service.ts';
import { createCaller } from './auth/authorize.ts';
import type { ClientService } from './auth/clients/client-service.ts';
import { createCapabilities } from './capabilities/capabilities.ts';
import { createEgress } from './capabilities/fetch/egress.ts';
import { createFetchCall } from './capabilities/fetch-call.ts';
import type { DocumentHooks } from './collections/hooks/document-hooks.ts';
import type { DocumentService, RecordService } from './collections/model/documents.ts';
import type { Registry } from './collections/model/registry.ts';
import type { Config } from './config/schema.ts';
import { createEndpointCalls } from './endpoints/call.ts';
import { createRequestView } from './endpoints/request-view.ts';
import type { EndpointCalls } from './endpoints/types.ts';
import { AppError } from './errors.ts';
import { createHooks } from './hooks/hooks.ts';
import type { Pause } from './lib/async/pause.ts';
import { createHostResolver } from './lib/egress/dns.ts';
import { packageRoot } from './lib/files/package-files.ts';
import type { Logger } from './lib/logger.ts';
import type { ModuleService } from './modules/model/types.ts';
import { createModuleService } from './modules/module-service.ts';
import { loadPolicyLimits, type PolicyLimits } from './modules/policy/policy-limits.ts';
import { createDisabledSandbox } from './sandbox-supervisor/disabled-sandbox.ts';
import { checkIsolationLevel } from './sandbox-supervisor/isolation/isolation-levels.ts';
import { createLauncher } from './sandbox-supervisor/isolation/launcher.ts';
import { runSelfTest } from './sandbox-supervisor/isolation/self-test.ts';
import type { Sandbox, SandboxStatus } from './sandbox-supervisor/sandbox.ts';
import { createSupervisor, type SupervisorOptions } from './sandbox-supervisor/supervisor.ts';
import { toAppError } from './store-errors.ts';
import type { DocumentStore } from './stores/ports.ts';
import { createUndeclaredNameFinder } from './workers/undeclared-name-finder.ts';

const LEAST_BUSY_HOSTS = 2;

/** The folder that a security reviewer reads. */
const sandboxFolder = () => new URL('sandbox/', packageRoot());

type SandboxEvents = Pick<SupervisorOptions, 'onIncident' | 'isSuspended'>;

/** For inspections alone: no module runs there. */
export const NO_MODULE_EVENTS: SandboxEvents = { onIncident: () => undefined, isSuspended: () => false };

/** Makes the sandbox that the configuration asks for. No process is started yet. */
export function openSandbox({ sandbox }: Config, { onIncident, isSuspended }: SandboxEvents): Sandbox {
  if (!sandbox.enabled) return createDisabledSandbox();
  const launcher = createLauncher({ root: packageRoot() });
  return createSupervisor({
    launcher,
    selfTest: (jit) => runSelfTest(launcher, { memoryMb: sandbox.hostMemoryMb, jit }),
    minimumLevel: sandbox.minimumLevel,
    maxHosts: sandbox.maxHosts,
    busyHosts: Math.min(sandbox.maxHosts, Math.max(LEAST_BUSY_HOSTS, availableParallelism())),
    hostMemoryMb: sandbox.hostMemoryMb,
    jitDomains: sandbox.jitDomains,
    now: () => performance.now(),
    onIncident,
    isSuspended,
  });
}

/** The ceilings above every policy. Throws CONFIGURATION_INVALID. */
export function loadConfiguredPolicyLimits({ sandbox }: Config, cwd: string): Promise<PolicyLimits> {
  const { policyFile } = sandbox;
  return loadPolicyLimits(sandboxFolder(), policyFile === undefined ? undefined : resolve(cwd, policyFile));
}

/** Where code lies. Absolute. */
export function moduleFolders({ workspace, paths }: Config, cwd: string) {
  const folder = (path: string) => resolve(cwd, workspace.path, path);
  return { endpoints: folder(paths.endpoints), hooks: folder(paths.hooks) };
}

/** Lets a process try to get out, starts another one where its walls will do, and says what walls there are. */
export async function selfTestedStatus(sandbox: Sandbox, minimumLevel: number): Promise<SandboxStatus> {
  await sandbox.selfTest();
  const willDo = checkIsolationLevel(minimumLevel, sandbox.status().walls) === undefined;
  if (willDo) await sandbox.inspect('module.exports.get = () => {};', 'endpoint');
  return sandbox.status();
}

async function requireLevel(sandbox: Sandbox, { enabled, minimumLevel }: Config['sandbox']): Promise<void> {
  if (!enabled || minimumLevel === 0) return;
  const { walls, selfTest } = await selfTestedStatus(sandbox, minimumLevel);
  const refusal = checkIsolationLevel(minimumLevel, walls);
  if (refusal === undefined && selfTest.state === 'passed') return;
  const message = refusal ?? 'the self-test of the sandbox failed';
  throw new AppError('CONFIGURATION_INVALID', { field: 'sandbox.minimumLevel', message });
}

interface PostedCodeOptions {
  readonly config: Config;
  readonly cwd: string;
  readonly store: DocumentStore;
  readonly registry: Registry;
  readonly clients: Pick<ClientService, 'find'>;
  readonly gate: Pick<AuthService, 'client'>;
  readonly audit: Audit;
  readonly logger: Logger;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pause?: Pause | undefined;
  /** Makes the documents, once their hooks are there. */
  readonly createDocuments: (hooks: DocumentHooks) => DocumentService & RecordService;
}

export interface PostedCode {
  readonly documents: DocumentService & RecordService;
  readonly modules: ModuleService;
  readonly calls: EndpointCalls;
  readonly sandboxStatus: () => SandboxStatus;
  /** Throws CONFIGURATION_INVALID where the walls are weaker than they must be. */
  requireIsolation(): Promise<void>;
  /** Brings the files of the workspace into force. Rejects with the store's StoreError: then it may be called again. */
  load(): Promise<void>;
  /** Runs the self-test in the background and logs what it found; `demandWalls` has done so where a level is demanded. */
  startSelfTest(): void;
  close(): Promise<void>;
}

/** Builds everything about endpoints and hooks. No code is read and no process started yet. */
export async function createPostedCode(options: PostedCodeOptions): Promise<PostedCode> {
  const { config, cwd, store, registry, clients, gate, audit, logger, now } = options;
  const { queryMs } = config.limits;
  const enabled = config.sandbox.enabled;
  const sandbox = openSandbox(config, {
    onIncident: (incident) => modules.onIncident(incident),
    isSuspended: (unitId) => modules.isSuspended(unitId),
  });
  const undeclared = createUndeclaredNameFinder();
  const ceilings = await loadConfiguredPolicyLimits(config, cwd);
  const modules = createModuleService({
    store,
    folders: moduleFolders(config, cwd),
    sandbox,
    findUndeclared: undeclared.find,
    audit,
    policyLimits: ceilings,
    review: config.sandbox.review,
    collections: registry,
    limits: config.limits,
    queryMs,
    log: logger,
    now,
    pause: options.pause,
  });
  const hooks = createHooks({
    modules,
    sandbox,
    capabilities: { forRequest: (run) => capabilities.forRequest(run) },
    requestView: createRequestView(),
    limits: config.limits,
    enabled,
    now,
    log: logger,
  });
  const documents = options.createDocuments(hooks);
  const capabilities = createCapabilities({
    registry,
    createCaller,
    findClient: (clientId) => clients.find(clientId),
    standing: (clientId) => gate.client(clientId),
    queryMs,
    now,
    documents,
    store,
    log: logger,
    toAppError,
    fetch: createFetchCall({
      egress: createEgress({
        egressAllow: ceilings.egress.allow,
        secrets: config.sandbox.secrets,
        names: createHostResolver(),
      }),
      now,
      onRejected: ({ unit, reason }) => {
        modules.onIncident({
          unitId: unit.id,
          version: unit.version,
          sha256: unit.sha256,
          kind: 'violation',
          limit: `fetch ${reason}`,
        });
      },
      onFailure: ({ unit, requestId, origin, reason }) => {
        const message = `fetch of ${origin} brought no answer: ${reason}`;
        modules.log(unit, requestId, { level: 'warn', message });
      },
    }),
  });
  const calls = createEndpointCalls({ sandbox, modules, capabilities, enabled });
  return {
    documents,
    modules,
    calls,
    sandboxStatus: () => sandbox.status(),
    requireIsolation: () => requireLevel(sandbox, config.sandbox),
    load: () => modules.load(),
    startSelfTest() {
      if (!enabled || config.sandbox.minimumLevel > 0) return;
      selfTestedStatus(sandbox, 0).then(
        ({ level, walls, selfTest, jit }) => {
          const withJit = jit === null ? {} : { selfTestWithJit: jit.selfTest.state };
          const report = { sandboxLevel: level, walls, selfTest: selfTest.state, ...withJit };
          const hasFailed = [selfTest, jit?.selfTest].some((test) => test?.state === 'failed');
          if (!hasFailed) logger.info(report, 'sandbox self-test passed');
          else logger.error(report, 'the self-test of the sandbox failed: see /api/status');
        },
        (error: unknown) => logger.error({ err: error }, 'the self-test of the sandbox could not be run'),
      );
    },
    async close() {
      await hooks.close();
      await modules.close();
      await sandbox.close();
      await undeclared.close();
    },
  };
}
