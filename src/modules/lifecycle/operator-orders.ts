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
const ORDERS_NAMESPACE: Namespace = { database: null, collection: 'cloister.moduleOrders' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;

export interface OperatorOrder {
  /** Key of the module: `endpoint:1.0/report`. */
  readonly key: string;
  readonly action: 'suspend' | 'resume';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Id and `v` of the stored order: it is deleted only if no newer one has replaced it. */
  readonly id: string;
  readonly v: number;
}

export interface OperatorOrdersDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const idOf = (key: string) => sha256Hex(`order ${key}`).slice(0, 24);

function toOperatorOrder({ _id, v, key, action, at }: StoredDocument): readonly OperatorOrder[] {
  if (typeof key !== 'string' || parseModuleKey(key) === undefined) return [];
  if (action !== 'suspend' && action !== 'resume') return [];
  return [{ key, action, at: Number(at), id: String(_id), v: Number(v) }];
}

/** Loads the orders that no server has carried out yet. Rejects with the store's StoreError. */
export async function loadOperatorOrders({
  store,
  now,
  queryMs,
}: OperatorOrdersDeps): Promise<readonly OperatorOrder[]> {
  const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: EVERY_RECORD } as const;
  const documents = await store.find(ORDERS_NAMESPACE, query, { deadline: now() + queryMs });
  return documents.flatMap(toOperatorOrder);
}

/** The state of a module once the order is carried out. */
function applyOperatorOrder(state: ModuleState, { action, at }: OperatorOrder): ModuleState {
  return action === 'suspend' ? withSuspension(state, { by: 'operator', at }) : withResume(state);
}

/** The write that deletes an order. */
export const deleteOrderWrite = ({ id, v }: OperatorOrder): Write => ({
  kind: 'remove',
  ns: ORDERS_NAMESPACE,
  id,
  v,
});

/** The states once all orders are carried out. */
export function applyOperatorOrders(
  states: readonly ModuleState[],
  orders: readonly OperatorOrder[],
): readonly ModuleState[] {
  const byKey = new Map(states.map((state) => [state.key, state]));
  for (const order of orders) {
    byKey.set(order.key, applyOperatorOrder(byKey.get(order.key) ?? initialModuleState(order.key), order));
  }
  return [...byKey.values()];
}

interface StoreOperatorOrderDeps extends OperatorOrdersDeps {
  readonly audit: Pick<Audit, 'commit'>;
}

/** Stores an order, in one commit with its audit entry. A newer one replaces an older one. */
export async function storeOperatorOrder(
  { store, audit, now, queryMs }: StoreOperatorOrderDeps,
  address: ModuleAddress,
  { action, sha256 }: { readonly action: OperatorOrder['action']; readonly sha256: string | null },
): Promise<void> {
  const key = moduleKey(address);
  const deadline = now() + queryMs;
  const before = (await loadOperatorOrders({ store, now, queryMs })).find((order) => order.key === key);
  const v = (before?.v ?? 0) + 1;
  const document: StoredDocument = { _id: idOf(key), v, key, action, at: now() };
  const write: Write =
    before === undefined
      ? { kind: 'insert', ns: ORDERS_NAMESPACE, document }
      : {
          kind: 'update',
          ns: ORDERS_NAMESPACE,
          id: before.id,
          v: before.v,
          document,
          changed: ['action', 'at', 'v'],
        };
  const auditEntry = moduleAuditEntry({ address, action, actor: null, before: sha256, after: sha256 });
  await audit.commit(auditEntry, [write], { deadline });
}

const POLL_INTERVAL_MS = 1000;

interface OperatorOrderWatchDeps extends OperatorOrdersDeps {
  /** Ends all invocations of a module, and resolves when none goes on. */
  readonly stop: (key: string) => Promise<void>;
  readonly states: Pick<ModuleStates, 'getState' | 'setState'>;
  readonly records: Pick<ModuleRecords, 'saveState'>;
  readonly locks: Pick<ModuleLocks, 'withModule'>;
  readonly log: Pick<Log, 'warn'>;
}

export interface OperatorOrderWatch {
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
export function createOperatorOrderWatch(deps: OperatorOrderWatchDeps): OperatorOrderWatch {
  const { states, records, locks, log } = deps;
  const closing = new AbortController();
  /** Orders that are applied and wait to be stored. */
  const unstored = new Set<string>();
  const polls = new Set<Promise<void>>();
  let watching: Promise<void> | undefined;
  let hasFailed = false;

  const carryOut = async (order: OperatorOrder): Promise<void> => {
    const { key, v, action } = order;
    const address = parseModuleKey(key);
    const id = `${key} ${v}`;
    if (address === undefined || unstored.has(id)) return;
    unstored.add(id);
    const apply = () => states.setState(applyOperatorOrder(states.getState(key), order));
    let isOurs = true;
    // Applied at once; only storing it waits for other changes of the module.
    apply();
    try {
      await locks.withModule(address, async () => {
        // Another process has stored it: its state is in force here by now.
        isOurs = (await loadOperatorOrders(deps)).some((stored) => stored.key === key && stored.v === v);
        if (!isOurs) return;
        // An admin may have changed the suspension meanwhile.
        apply();
        await records.saveState(states.getState(key), undefined, [deleteOrderWrite(order)]);
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
    const orders = await loadOperatorOrders(deps);
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
      const orders = await loadOperatorOrders(deps);
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
