// Posted code: the one way to change it, and the live modules that the rest of the server runs.
import type { Audit } from '../auth/audit/audit.ts';
import type { Registry } from '../collections/model/registry.ts';
import { createKeyedMutex } from '../lib/async/keyed-mutex.ts';
import { type Pause, pause as pauseOnClock } from '../lib/async/pause.ts';
import { createRetrier } from '../lib/async/retry.ts';
import type { Incident, Sandbox } from '../sandbox-supervisor/sandbox.ts';
import type { DocumentStore } from '../stores/ports.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { type CodeValidatorDeps, createCodeValidator } from './lifecycle/code-validation.ts';
import { applyFileEdit } from './lifecycle/file-edits.ts';
import { type LifecycleDeps, type ModulesLog, withModuleLock } from './lifecycle/lifecycle-deps.ts';
import { loadModules } from './lifecycle/load-modules.ts';
import { createModuleFiles, type ModuleFile, type ModuleFolders } from './lifecycle/module-files.ts';
import { createOperatorOrderWatch } from './lifecycle/operator-order-watch.ts';
import { loadOrders } from './lifecycle/operator-orders.ts';
import { postCode, rollBackVersion } from './lifecycle/post-code.ts';
import { policyWithCodeBlock, putPolicy } from './lifecycle/put-policy.ts';
import { getModuleOrThrow, removeModule, resumeModule, suspendModule } from './lifecycle/removal.ts';
import { approveVersion, type ReviewMode } from './lifecycle/review.ts';
import type { ModuleService } from './model/types.ts';
import { createModuleLogs } from './module-logs.ts';
import { createPolicyParser } from './policy/policy.ts';
import type { PolicyLimits } from './policy/policy-limits.ts';
import { policyOriginIssue } from './policy/policy-origin.ts';
import { createModuleRegistry } from './routes/module-registry.ts';
import { createModuleRecords } from './versions/module-records.ts';
import { createModuleStates } from './versions/module-states.ts';
import { createVersionHistory } from './versions/version-history.ts';

export interface ModuleServiceDeps {
  readonly store: DocumentStore;
  readonly folders: ModuleFolders;
  readonly sandbox: Pick<Sandbox, 'inspect' | 'retire' | 'stop'>;
  readonly findUndeclared: CodeValidatorDeps['findUndeclared'];
  readonly audit: Omit<Audit, 'read'>;
  readonly policyLimits: PolicyLimits;
  readonly review: ReviewMode;
  readonly collections: Pick<Registry, 'get' | 'list'>;
  /** Bytes. */
  readonly limits: { readonly endpointCodeBytes: number; readonly jsonBytes: number };
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  readonly log: ModulesLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pause?: Pause | undefined;
}

export interface ManagedModuleService extends ModuleService {
  /**
   * Brings every file into force, then watches for edits. A broken file is logged and its module answers 503. Rejects
   * with the store's StoreError: then it may be called again.
   */
  load(): Promise<void>;
  /** What a module did against its limits. */
  onIncident(incident: Incident): void;
  /** Whether nothing of this module may run, by its id: `endpoint:1.0/report`. */
  isSuspended(unitId: string): boolean;
  /** Carries out what the operator has ordered by a command. It happens every second anyway. */
  pollOrders(): Promise<void>;
  /** Ends the watch, stores what is not stored yet, and waits for the changes in hand. */
  close(): Promise<void>;
}

function createLifecycleDeps(deps: ModuleServiceDeps): LifecycleDeps {
  const { store, now, queryMs, folders, limits, sandbox, findUndeclared: undeclared, collections } = deps;
  const maxBytes = limits.endpointCodeBytes;
  const registry = createModuleRegistry(collections);
  return {
    files: createModuleFiles({ folders, maxBytes }),
    records: createModuleRecords({ store, audit: deps.audit, now, queryMs }),
    registry,
    shelf: createModuleStates({
      registry,
      retire: (unitId) => sandbox.retire(unitId),
      stop: (unitId) => void sandbox.stop(unitId),
    }),
    stop: (unitId) => sandbox.stop(unitId),
    policies: createPolicyParser({
      policyLimits: deps.policyLimits,
      jsonBytes: limits.jsonBytes,
      findOriginIssue: policyOriginIssue,
    }),
    acceptance: createCodeValidator({ sandbox, findUndeclared: undeclared, maxBytes }),
    logs: createModuleLogs(now),
    collections,
    audit: deps.audit,
    log: deps.log,
    now,
    queue: createKeyedMutex(),
  };
}

/** Watches the files from before they are read; edits wait until all of those are in force. */
function createFileWatch(core: LifecycleDeps, pause: Pause, signal: AbortSignal) {
  const edits = new Set<Promise<void>>();
  const loaded = Promise.withResolvers<boolean>();
  let begun: Promise<void> = Promise.resolve();
  let opened: Promise<void> | undefined;
  let end: () => Promise<void> = async () => {};
  const apply = createRetrier<ModuleFile>({
    task: (file) => applyFileEdit(core, file),
    keyOf: ({ file }) => file,
    onRetry: ({ file }) => core.log.warn({ file }, 'an edit waits for the database'),
    pause,
    signal,
  });
  const edited = (file: ModuleFile) => {
    const applied = loaded.promise.then((isLoaded) => (isLoaded ? apply(file) : undefined));
    const edit = applied.finally(() => edits.delete(edit));
    edits.add(edit);
  };
  const failed = (error: unknown) =>
    core.log.error({ err: error }, 'cannot watch files of endpoints and hooks: edits need a restart');
  return {
    /** `rest`: what the start still brings into force. */
    after(rest: Promise<void>): void {
      const failedRest = (error: unknown) => core.log.error({ err: error }, 'not all modules are in force');
      begun = rest.catch(failedRest).then(() => loaded.resolve(true));
    },
    begin(): Promise<void> {
      opened ??= core.files.watch(edited, failed).then((close) => {
        end = close;
      }, failed);
      return opened;
    },
    async close(): Promise<void> {
      await end();
      await begun;
      // What changed before anything was loaded is found by the next start.
      loaded.resolve(false);
      await Promise.all(edits);
    },
  };
}

/** Makes the service. Nothing is read, watched or written before `load`. */
export function createModuleService(deps: ModuleServiceDeps): ManagedModuleService {
  const core = createLifecycleDeps(deps);
  const { shelf, logs, registry } = core;
  const { review } = deps;
  const incidents = createCircuitBreaker(core);
  const { store, pause = pauseOnClock } = deps;
  const closing = new AbortController();
  const watch = createFileWatch(core, pause, closing.signal);
  const orders = createOperatorOrderWatch(core, deps);

  return {
    registry,
    ...createVersionHistory(core),
    async load() {
      await watch.begin();
      const { rest } = await loadModules(core, {
        ...{ signal: closing.signal, pause },
        orders: () => loadOrders(deps),
      });
      watch.after(rest);
      await orders.start();
    },
    onIncident: incidents.onIncident,
    isSuspended: (unitId) => shelf.getState(unitId).suspendedBy !== null,
    pollOrders: orders.poll,
    async close() {
      closing.abort();
      await orders.close();
      await watch.close();
      await incidents.close();
    },
    postCode: (address, source, by, replace) => postCode(core, { address, source, by, replace, review }),
    rollback: (address, version, by) => rollBackVersion(core, { address, version, by, review }),
    approve: (address, version, by) =>
      withModuleLock(core, address, async () => {
        getModuleOrThrow(core, address);
        await approveVersion(core, address, { version, by });
      }),
    remove: (address, by) =>
      withModuleLock(core, address, async () => {
        await store.health();
        await removeModule(core, address, by);
      }),
    policy: (address) => policyWithCodeBlock(getModuleOrThrow(core, address)),
    putPolicy: (address, value, by) =>
      withModuleLock(core, address, async () => {
        await store.health();
        await putPolicy(core, getModuleOrThrow(core, address), { value, by, review });
        return policyWithCodeBlock(getModuleOrThrow(core, address));
      }),
    suspend: (address, by) => suspendModule(core, address, { by, incidents }),
    resume: (address, by) => withModuleLock(core, address, () => resumeModule(core, address, by)),
    logs: (address, options) => logs.read(getModuleOrThrow(core, address).state.key, options),
    log(unit, requestId, record) {
      if (shelf.get(unit.id) !== undefined) logs.add(unit, requestId, record);
    },
  };
}
