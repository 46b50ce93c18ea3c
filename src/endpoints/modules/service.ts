// Posted code: the one way to change it, and the live modules that the rest of the server runs.
import type { Audit } from '../../auth/audit.ts';
import type { Registry } from '../../collections/registry.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import { createPatience } from '../../lib/patience.ts';
import { type Pause, pause as pauseOnClock } from '../../lib/pause.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import { policyOriginProblem } from '../capabilities/fetch/policy-origin.ts';
import type { ModuleService } from '../modules.ts';
import type { Incident, Sandbox } from '../sandbox.ts';
import { type AcceptanceDeps, createAcceptance } from './acceptance.ts';
import type { Ceilings } from './ceilings.ts';
import { type Core, inTurn, type ModulesLog } from './core.ts';
import { applyEdit } from './edits.ts';
import { createModuleFiles, type ModuleFile, type ModuleFolders } from './files.ts';
import { createHistory } from './history.ts';
import { createIncidents } from './incidents.ts';
import { loadModules } from './load.ts';
import { createModuleLogs } from './logs.ts';
import { createOrderWatch } from './order-watch.ts';
import { readOrders } from './orders.ts';
import { putPolicy, shownPolicy } from './policies.ts';
import { createPolicyReader } from './policy.ts';
import { postCode, rollBack } from './posting.ts';
import { createRecords } from './records.ts';
import { createModuleRegistry } from './registry.ts';
import { mustHold, removeModule, resumeModule, suspendModule } from './removal.ts';
import { approveVersion, type ReviewMode } from './review.ts';
import { createShelf } from './shelf.ts';

export interface ModulesDeps {
  readonly store: DocumentStore;
  readonly folders: ModuleFolders;
  readonly sandbox: Pick<Sandbox, 'inspect' | 'retire' | 'stop'>;
  readonly undeclared: AcceptanceDeps['undeclared'];
  readonly audit: Omit<Audit, 'read'>;
  readonly ceilings: Ceilings;
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

export interface Modules extends ModuleService {
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
  takeOrders(): Promise<void>;
  /** Ends the watch, stores what is not stored yet, and waits for the changes in hand. */
  close(): Promise<void>;
}

function createCore(deps: ModulesDeps): Core {
  const { store, now, queryMs, folders, limits, sandbox, undeclared, collections } = deps;
  const maxBytes = limits.endpointCodeBytes;
  const registry = createModuleRegistry(collections);
  return {
    files: createModuleFiles({ folders, maxBytes }),
    records: createRecords({ store, audit: deps.audit, now, queryMs }),
    registry,
    shelf: createShelf({
      registry,
      retire: (unitId) => sandbox.retire(unitId),
      stop: (unitId) => void sandbox.stop(unitId),
    }),
    stop: (unitId) => sandbox.stop(unitId),
    policies: createPolicyReader({
      ceilings: deps.ceilings,
      jsonBytes: limits.jsonBytes,
      originProblem: policyOriginProblem,
    }),
    acceptance: createAcceptance({ sandbox, undeclared, maxBytes }),
    logs: createModuleLogs(now),
    collections,
    audit: deps.audit,
    log: deps.log,
    now,
    queue: createKeyedQueue(),
  };
}

/** Watches the files from before they are read; edits wait until all of those are in force. */
function createWatch(core: Core, pause: Pause, signal: AbortSignal) {
  const edits = new Set<Promise<void>>();
  const loaded = Promise.withResolvers<boolean>();
  let begun: Promise<void> = Promise.resolve();
  let opened: Promise<void> | undefined;
  let end: () => Promise<void> = async () => {};
  const apply = createPatience<ModuleFile>({
    work: (file) => applyEdit(core, file),
    keyOf: ({ file }) => file,
    onWait: ({ file }) => core.log.warn({ file }, 'an edit waits for the database'),
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
export function createModules(deps: ModulesDeps): Modules {
  const core = createCore(deps);
  const { shelf, logs, registry } = core;
  const { review } = deps;
  const incidents = createIncidents(core);
  const { store, pause = pauseOnClock } = deps;
  const closing = new AbortController();
  const watch = createWatch(core, pause, closing.signal);
  const orders = createOrderWatch(core, deps);

  return {
    registry,
    ...createHistory(core),
    async load() {
      await watch.begin();
      const { rest } = await loadModules(core, {
        ...{ signal: closing.signal, pause },
        orders: () => readOrders(deps),
      });
      watch.after(rest);
      await orders.begin();
    },
    onIncident: incidents.onIncident,
    isSuspended: (unitId) => shelf.state(unitId).suspendedBy !== null,
    takeOrders: orders.look,
    async close() {
      closing.abort();
      await orders.close();
      await watch.close();
      await incidents.close();
    },
    post: (address, source, by, replace) => postCode(core, { address, source, by, replace, review }),
    rollback: (address, version, by) => rollBack(core, { address, version, by, review }),
    approve: (address, version, by) =>
      inTurn(core, address, async () => {
        mustHold(core, address);
        await approveVersion(core, address, { version, by });
      }),
    remove: (address, by) =>
      inTurn(core, address, async () => {
        await store.health();
        await removeModule(core, address, by);
      }),
    policy: (address) => shownPolicy(mustHold(core, address)),
    putPolicy: (address, value, by) =>
      inTurn(core, address, async () => {
        await store.health();
        await putPolicy(core, mustHold(core, address), { value, by, review });
        return shownPolicy(mustHold(core, address));
      }),
    suspend: (address, by) => suspendModule(core, address, { by, incidents }),
    resume: (address, by) => inTurn(core, address, () => resumeModule(core, address, by)),
    logs: (address, options) => logs.read(mustHold(core, address).state.key, options),
    log(unit, requestId, record) {
      if (shelf.get(unit.id) !== undefined) logs.add(unit, requestId, record);
    },
  };
}
