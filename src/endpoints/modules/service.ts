// Posted code: the one way to change it, and the live modules that the rest of the server runs.
import type { Audit } from '../../auth/audit.ts';
import type { Registry } from '../../collections/registry.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import { policyOriginProblem } from '../capabilities/fetch/policy-origin.ts';
import type { ModuleService } from '../modules.ts';
import type { Incident, Sandbox } from '../sandbox.ts';
import { type AcceptanceDeps, createAcceptance } from './acceptance.ts';
import { keyOf } from './address.ts';
import type { Ceilings } from './ceilings.ts';
import { type Core, inTurn, type ModulesLog } from './core.ts';
import { applyEdit } from './edits.ts';
import { createModuleFiles, type ModuleFile, type ModuleFolders } from './files.ts';
import { createHistory } from './history.ts';
import { createIncidents } from './incidents.ts';
import { loadModules } from './load.ts';
import { createModuleLogs } from './logs.ts';
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
  readonly sandbox: Pick<Sandbox, 'inspect' | 'retire'>;
  readonly undeclared: AcceptanceDeps['undeclared'];
  readonly audit: Pick<Audit, 'record'>;
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
}

export interface Modules extends ModuleService {
  /** Brings every file into force, then watches for edits. A broken file is logged and its module answers 503. */
  load(): Promise<void>;
  /** What a module did against its limits. */
  onIncident(incident: Incident): void;
  /** Ends the watch, stores what is not stored yet, and waits for the changes in hand. */
  close(): Promise<void>;
}

function createCore(deps: ModulesDeps): Core {
  const { store, now, queryMs, folders, limits, sandbox, undeclared, collections } = deps;
  const maxBytes = limits.endpointCodeBytes;
  const registry = createModuleRegistry(collections);
  return {
    files: createModuleFiles({ folders, maxBytes }),
    records: createRecords({ store, now, queryMs }),
    registry,
    shelf: createShelf({ registry, retire: (unitId) => sandbox.retire(unitId) }),
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
function createWatch(core: Core) {
  const edits = new Set<Promise<void>>();
  const loaded = Promise.withResolvers<void>();
  let begun: Promise<void> = Promise.resolve();
  let end: () => Promise<void> = async () => {};
  const edited = (file: ModuleFile) => {
    const edit = loaded.promise.then(() => applyEdit(core, file)).finally(() => edits.delete(edit));
    edits.add(edit);
  };
  const failed = (error: unknown) =>
    core.log.error({ err: error }, 'edits of endpoints and hooks go unnoticed');
  return {
    /** `rest`: what the start still brings into force. */
    after(rest: Promise<void>): void {
      const failedRest = (error: unknown) => core.log.error({ err: error }, 'not all modules are in force');
      begun = rest.catch(failedRest).then(loaded.resolve);
    },
    begin: () =>
      core.files.watch(edited, failed).then((close) => {
        end = close;
      }, failed),
    async close(): Promise<void> {
      await end();
      await begun;
      loaded.resolve();
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
  const watch = createWatch(core);
  const closing = new AbortController();

  return {
    registry,
    ...createHistory(core),
    async load() {
      await watch.begin();
      const { rest } = await loadModules(core, closing.signal);
      watch.after(rest);
    },
    onIncident: incidents.onIncident,
    async close() {
      closing.abort();
      await watch.close();
      await incidents.close();
    },
    post: (address, source, by, replace) =>
      postCode(core, { address, source, by, replace, review, incidents }),
    rollback: (address, version, by) => rollBack(core, { address, version, by, review, incidents }),
    approve: (address, version, by) =>
      inTurn(core, address, async () => {
        mustHold(core, address);
        await approveVersion(core, address, { version, by });
        incidents.forgive(keyOf(address));
      }),
    remove: (address, by) => inTurn(core, address, () => removeModule(core, address, by)),
    policy: (address) => shownPolicy(mustHold(core, address)),
    putPolicy: (address, value, by) =>
      inTurn(core, address, async () => {
        await putPolicy(core, mustHold(core, address), { value, by, review });
        return shownPolicy(mustHold(core, address));
      }),
    suspend: (address, by) => inTurn(core, address, () => suspendModule(core, address, by)),
    resume: (address, by) =>
      inTurn(core, address, async () => {
        await resumeModule(core, address, by);
        incidents.forgive(keyOf(address));
      }),
    logs: (address, options) => logs.read(mustHold(core, address).state.key, options),
    log(unit, requestId, record) {
      if (shelf.get(unit.id) !== undefined) logs.add(unit, requestId, record);
    },
  };
}
