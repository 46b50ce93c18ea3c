// The module service: every change of posted code goes through it, and the rest of the server reads the live modules from it.
import type { Audit } from '../auth/audit/audit.ts';
import type { CollectionRegistry } from '../collections/model/collection.ts';
import type { Coordination } from '../deployment/coordination.ts';
import { createChangeQueue } from '../lib/async/change-queue.ts';
import { type Pause, pause as pauseOnClock } from '../lib/async/retry.ts';
import type { Log } from '../lib/logger.ts';
import type { Incident, Sandbox } from '../sandbox-supervisor/model/sandbox.ts';
import type { DocumentStore } from '../stores/ports.ts';
import type { WorkspaceFiles } from '../stores/workspace-files.ts';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { createDeferredWrites } from './lifecycle/deferred-writes.ts';
import { createFileWatch } from './lifecycle/file-edits.ts';
import { loadModules } from './lifecycle/load-modules.ts';
import { createModuleFiles, type ModuleFolders } from './lifecycle/module-files.ts';
import { createOperatorOrderWatch, loadOperatorOrders } from './lifecycle/operator-orders.ts';
import { postCode, rollBackVersion } from './lifecycle/post-code.ts';
import { policyWithCodeBlock, putPolicy } from './lifecycle/put-policy.ts';
import { refreshModules } from './lifecycle/refresh-module.ts';
import { approveVersion, type ReviewMode, rejectVersion } from './lifecycle/review.ts';
import { removeModule, resumeModule, suspendModule } from './lifecycle/stop-module.ts';
import { createModuleRegistry } from './model/module-registry.ts';
import type { ModuleService } from './model/module-types.ts';
import { createModuleLogs } from './module-logs.ts';
import { createPolicyParser } from './policy/policy.ts';
import { type PolicyLimits, showPolicyLimits } from './policy/policy-limits.ts';
import { type CodeValidatorDeps, createCodeValidator } from './versions/code-validation.ts';
import { createModuleRecords, type ModuleRecords } from './versions/module-records.ts';
import { createModuleLocks, createModuleStates } from './versions/module-states.ts';
import { createVersionHistory } from './versions/version-history.ts';

export interface ModuleServiceDeps {
  /** The other processes on the same database. */
  readonly coordination: Pick<
    Coordination,
    'onChange' | 'announce' | 'exclusively' | 'inForceEverywhere' | 'isConfirmed'
  >;
  readonly store: DocumentStore;
  readonly workspace: WorkspaceFiles;
  readonly folders: ModuleFolders;
  readonly sandbox: Pick<Sandbox, 'inspect' | 'evict' | 'stop'>;
  readonly findUndeclared: CodeValidatorDeps['findUndeclared'];
  readonly audit: Omit<Audit, 'read'>;
  readonly policyLimits: PolicyLimits;
  readonly review: ReviewMode;
  readonly collections: Pick<CollectionRegistry, 'get' | 'list'>;
  /** Bytes. */
  readonly limits: { readonly endpointCodeBytes: number; readonly jsonBytes: number };
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pause?: Pause | undefined;
}

export interface ManagedModuleService extends ModuleService {
  /**
   * Loads every file, then watches for edits. A broken file is logged and its module answers 503. Rejects with the store's
   * StoreError: then it may be called again.
   */
  load(): Promise<void>;
  /** Resolves when all code that `load` has found is inspected: at once unless that takes longer than a start waits. */
  codeLoaded(): Promise<void>;
  /** Takes what a module did against its limits. */
  onIncident(incident: Incident): void;
  /** Keys, such as `endpoint:1.0/report`, of the modules of which nothing may run. */
  isSuspended(key: string): boolean;
  /** Carries out the orders of operators, as it happens every second anyway. */
  pollOrders(): Promise<void>;
  /** Stops the watch, and resolves when the changes under way and the deferred writes are stored. */
  close(): Promise<void>;
}

/** Makes other processes know of each change of a state, once it is stored. `announce` never rejects. */
function announceChanges(records: ModuleRecords, announce: (key: string) => Promise<void>): ModuleRecords {
  return {
    ...records,
    async saveState(state, entry, others) {
      await records.saveState(state, entry, others);
      await announce(state.key);
    },
    async addVersion(state, version, entry, publish) {
      await records.addVersion(state, version, entry, publish);
      // What publishes it stores the state once more.
      if (publish === undefined) await announce(state.key);
    },
    async saveDecision(state, record, entry) {
      await records.saveDecision(state, record, entry);
      await announce(state.key);
    },
  };
}

/** Creates the service. Nothing is read, watched or written before `load`. */
export function createModuleService(options: ModuleServiceDeps): ManagedModuleService {
  const { store, sandbox, audit, limits, log, now, review, collections, pause = pauseOnClock } = options;
  const { queryMs, workspace, folders, findUndeclared, policyLimits, coordination } = options;
  const maxBytes = limits.endpointCodeBytes;
  const registry = createModuleRegistry(collections);
  const states = createModuleStates({
    registry,
    retire: (key) => sandbox.evict(key),
    stop: (key) => void sandbox.stop(key),
  });
  const records = announceChanges(createModuleRecords({ store, audit, now, queryMs }), (target) =>
    coordination.announce({ kind: 'module', target }),
  );
  const stored = { records, states };
  const locks = createModuleLocks(coordination);
  const logs = createModuleLogs(now);
  const writes = createDeferredWrites({ ...stored, audit, locks, log });
  const breaker = createCircuitBreaker({ states, writes, log, now });
  const policies = createPolicyParser({
    policyLimits,
    jsonBytes: limits.jsonBytes,
  });
  const deps = {
    ...stored,
    registry,
    collections,
    locks,
    logs,
    writes,
    policies,
    audit,
    review,
    log,
    now,
    files: createModuleFiles({ workspace, folders, maxBytes }),
    validator: createCodeValidator({ sandbox, findUndeclared, maxBytes }),
    stop: (key: string) => sandbox.stop(key),
  };
  let inspecting: Promise<void> = Promise.resolve();
  const closing = new AbortController();
  const { signal } = closing;
  const watch = createFileWatch(deps, { pause, signal });
  const { stop } = deps;
  const orders = createOperatorOrderWatch({ ...stored, locks, log, store, now, queryMs, stop });
  const changes = createChangeQueue((key) => refreshModules(deps, key));
  coordination.onChange('module', changes.apply);
  coordination.onChange('module-order', () => orders.obey());

  return {
    registry,
    policyLimits: showPolicyLimits(policyLimits),
    ...createVersionHistory(stored),
    async load() {
      await watch.start();
      changes.begin();
      const loadOrders = () => loadOperatorOrders({ store, now, queryMs });
      const options = { signal, pause, orders: loadOrders, onStatesLoaded: changes.open };
      const { rest } = await loadModules(deps, options);
      inspecting = rest;
      watch.applyAfter(rest);
      await orders.start();
    },
    codeLoaded: () => inspecting,
    onIncident: breaker.onIncident,
    // Without word of the others nobody knows who was suspended.
    isSuspended: (key) => states.isSuspended(key) || !coordination.isConfirmed(),
    pollOrders: orders.poll,
    async close() {
      closing.abort();
      await orders.close();
      await watch.close();
      breaker.close();
      await writes.close();
    },
    postCode: (address, source, actor, options) => postCode(deps, { address, source, actor, ...options }),
    rollback: (address, version, actor) => rollBackVersion(deps, { address, version, actor }),
    approve: (address, version, actor) =>
      locks.withModule(address, async () => {
        states.getOrThrow(address);
        await approveVersion(deps, address, { version, actor });
      }),
    reject: (address, version, rejection) =>
      locks.withModule(address, async () => {
        states.getOrThrow(address);
        await rejectVersion(deps, address, { version, ...rejection });
      }),
    remove: (address, actor, check) =>
      locks.withModule(address, async () => {
        await store.health();
        check?.(states.getOrThrow(address).source);
        await removeModule(deps, address, actor);
      }),
    policy: (address) => policyWithCodeBlock(states.getOrThrow(address)),
    putPolicy: (address, value, actor, check) =>
      locks.withModule(address, async () => {
        await store.health();
        check?.(policyWithCodeBlock(states.getOrThrow(address)));
        await putPolicy(deps, address, { value, actor });
        return policyWithCodeBlock(states.getOrThrow(address));
      }),
    async suspend(address, actor) {
      await suspendModule(deps, address, actor);
      await coordination.inForceEverywhere();
    },
    resume: (address, actor) => resumeModule(deps, address, actor),
    logs: (address, range) => logs.read(states.getOrThrow(address).state.key, range),
    log(moduleVersion, requestId, record) {
      if (states.get(moduleVersion.id) !== undefined) logs.add(moduleVersion, requestId, record);
    },
  };
}
