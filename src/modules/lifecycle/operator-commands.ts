// Orders of operators to suspend or resume a module, given by a command and kept in the database. A running server, which polls
// for them, carries them out within a second, otherwise the next start does: module states are in the memory of the server, which
// alone writes them.
import type { Audit } from '../../auth/audit/audit.ts';
import { isStoreUnavailable } from '../../errors/errors.ts';
import { pause as pauseOnClock } from '../../lib/async/retry.ts';
import type { Log } from '../../lib/logger.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey, parseModuleKey } from '../model/module-types.ts';
import { initialModuleState, type ModuleRecords, type ModuleState } from '../versions/module-records.ts';
import type { ModuleLocks, ModuleStates } from '../versions/module-states.ts';
import { withResume, withSuspension } from '../versions/state-transitions.ts';

// Not reachable over HTTP.
const COMMANDS_NAMESPACE: Namespace = { database: null, collection: 'cloister.moduleOrders' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;

export interface OperatorCommand {
  /** Key of the module: `endpoint:1.0/report`. */
  readonly key: string;
  readonly action: 'suspend' | 'resume';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Id and revision of the stored order: it is deleted only if no newer one has replaced it. */
  readonly id: string;
  readonly v: number;
}

export interface OperatorCommandsDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const idOf = (key: string) => sha256Hex(`order ${key}`).slice(0, 24);

function toOperatorCommand({ _id, v, key, action, at }: StoredDocument): readonly OperatorCommand[] {
  if (typeof key !== 'string' || parseModuleKey(key) === undefined) return [];
  if (action !== 'suspend' && action !== 'resume') return [];
  return [{ key, action, at: Number(at), id: String(_id), v: Number(v) }];
}

/** Loads the orders that no server has carried out yet. Rejects with the store's StoreError. */
export async function loadOperatorCommands({
  store,
  now,
  queryMs,
}: OperatorCommandsDeps): Promise<readonly OperatorCommand[]> {
  const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: EVERY_RECORD } as const;
  const documents = await store.find(COMMANDS_NAMESPACE, query, { deadline: now() + queryMs });
  return documents.flatMap(toOperatorCommand);
}

/** The state of a module once the order is carried out. */
function applyOperatorCommand(state: ModuleState, { action, at }: OperatorCommand): ModuleState {
  return action === 'suspend' ? withSuspension(state, { by: 'operator', at }) : withResume(state);
}

/** The write that deletes an order. */
export const deleteCommandWrite = ({ id, v }: OperatorCommand): Write => ({
  kind: 'remove',
  ns: COMMANDS_NAMESPACE,
  id,
  v,
});

/** The states once all orders are carried out. */
export function applyOperatorCommands(
  states: readonly ModuleState[],
  orders: readonly OperatorCommand[],
): readonly ModuleState[] {
  const byKey = new Map(states.map((state) => [state.key, state]));
  for (const order of orders) {
    byKey.set(order.key, applyOperatorCommand(byKey.get(order.key) ?? initialModuleState(order.key), order));
  }
  return [...byKey.values()];
}

interface StoreOperatorCommandDeps extends OperatorCommandsDeps {
  readonly audit: Pick<Audit, 'commit'>;
}

/** Stores an order, in one commit with its audit entry. A newer one replaces an older one. */
export async function storeOperatorCommand(
  { store, audit, now, queryMs }: StoreOperatorCommandDeps,
  address: ModuleAddress,
  { action, sha256 }: { readonly action: OperatorCommand['action']; readonly sha256: string | null },
): Promise<void> {
  const key = moduleKey(address);
  const deadline = now() + queryMs;
  const before = (await loadOperatorCommands({ store, now, queryMs })).find((order) => order.key === key);
  const v = (before?.v ?? 0) + 1;
  const document: StoredDocument = { _id: idOf(key), v, key, action, at: now() };
  const write: Write =
    before === undefined
      ? { kind: 'insert', ns: COMMANDS_NAMESPACE, document }
      : {
          kind: 'update',
          ns: COMMANDS_NAMESPACE,
          id: before.id,
          v: before.v,
          document,
          changed: ['action', 'at', 'v'],
        };
  const auditEntry = moduleAuditEntry({ address, action, actor: null, before: sha256, after: sha256 });
  await audit.commit(auditEntry, [write], { deadline });
}

const POLL_INTERVAL_MS = 1000;

interface OperatorCommandWatchDeps extends OperatorCommandsDeps {
  /** Ends all invocations of a module, and resolves when none goes on. */
  readonly stop: (key: string) => Promise<void>;
  readonly states: Pick<ModuleStates, 'getState' | 'setState'>;
  readonly records: Pick<ModuleRecords, 'saveState'>;
  readonly locks: Pick<ModuleLocks, 'withModule'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface OperatorCommandWatch {
  /** Carries out the orders there are, then polls every second. Rejects with the store's StoreError. */
  start(): Promise<void>;
  /** Carries out the orders there are. Rejects with the store's StoreError. */
  poll(): Promise<void>;
  /** Brings the orders there are into force, and stores that in the background. Rejects with the store's StoreError. */
  obey(): Promise<void>;
  /** Stops polling, and resolves when the orders under way are stored. */
  close(): Promise<void>;
}

/** Creates the watch. Nothing is read before `start`. */
export function createOperatorCommandWatch(deps: OperatorCommandWatchDeps): OperatorCommandWatch {
  const { states, records, locks, log } = deps;
  const closing = new AbortController();
  /** Orders that are applied and wait to be stored. */
  const unstored = new Set<string>();
  const polls = new Set<Promise<void>>();
  let watching: Promise<void> | undefined;
  let hasFailed = false;

  const carryOut = async (order: OperatorCommand): Promise<void> => {
    const { key, v, action } = order;
    const address = parseModuleKey(key);
    const id = `${key} ${v}`;
    if (address === undefined || unstored.has(id)) return;
    unstored.add(id);
    const apply = () => states.setState(applyOperatorCommand(states.getState(key), order));
    let isOurs = true;
    // Applied at once; only storing it waits for other changes of the module.
    apply();
    try {
      await locks.withModule(address, async () => {
        // Another process has stored it: its state is in force here by now.
        isOurs = (await loadOperatorCommands(deps)).some((stored) => stored.key === key && stored.v === v);
        if (!isOurs) return;
        // An admin may have changed the suspension meanwhile.
        apply();
        await records.saveState(states.getState(key), undefined, [deleteCommandWrite(order)]);
      });
    } finally {
      unstored.delete(id);
    }
    if (!isOurs) return;
    log.warn({ module: key }, action === 'suspend' ? 'operator suspended module' : 'operator resumed module');
  };

  /** Whatever is not stored now the next poll stores. */
  const storeLater = (storing: Promise<void>) => {
    const polling = storing.catch(() => undefined).finally(() => polls.delete(polling));
    polls.add(polling);
  };

  const poll = async (): Promise<void> => {
    const orders = await loadOperatorCommands(deps);
    await Promise.all(orders.map(carryOut));
  };

  const pollOrWarn = async (): Promise<void> => {
    try {
      await poll();
      hasFailed = false;
    } catch (error) {
      // A newer order may have come in between; the next poll finds it.
      if (!hasFailed && !isStoreUnavailable(error)) {
        log.warn({ err: error }, 'could not store operator order; will retry');
      }
      hasFailed = true;
    }
  };

  const watch = async () => {
    for (;;) {
      await pauseOnClock(POLL_INTERVAL_MS, closing.signal);
      if (closing.signal.aborted) return;
      // Not awaited: an order that is stored late must not delay the next one.
      const polling = pollOrWarn().finally(() => polls.delete(polling));
      polls.add(polling);
    }
  };

  return {
    poll,
    async obey() {
      const orders = await loadOperatorCommands(deps);
      for (const order of orders) storeLater(carryOut(order));
      const suspensions = orders.filter(({ action }) => action === 'suspend');
      await Promise.all(suspensions.map(({ key }) => deps.stop(key)));
    },
    async start() {
      await poll();
      watching ??= watch();
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all(polls);
    },
  };
}
