// Orders of operators to suspend or resume a module, given by a command and kept in the database. A running server carries
// them out within a second, otherwise the next start does: module states are in the memory of the server, which alone writes
// them.
import type { Audit } from '../../auth/audit/audit.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import { moduleKey, parseModuleKey } from '../model/address.ts';
import { moduleAuditEntry } from '../model/audit-entry.ts';
import type { ModuleAddress } from '../model/types.ts';
import { initialState, type ModuleState } from '../versions/module-records.ts';
import { withResume, withSuspension } from '../versions/state-transitions.ts';

// Not reachable over HTTP.
const ORDERS: Namespace = { database: null, collection: 'cloister.moduleOrders' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;

export interface OperatorOrder {
  /** Key of the module: `endpoint:1.0/report`. */
  readonly key: string;
  readonly action: 'suspend' | 'resume';
  /** Epoch milliseconds. */
  readonly at: number;
  /** Id and revision of the stored order: it is deleted only if no newer one has replaced it. */
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

function toOrder({ _id, v, key, action, at }: StoredDocument): readonly OperatorOrder[] {
  if (typeof key !== 'string' || parseModuleKey(key) === undefined) return [];
  if (action !== 'suspend' && action !== 'resume') return [];
  return [{ key, action, at: Number(at), id: String(_id), v: Number(v) }];
}

/** Loads the orders that no server has carried out yet. Rejects with the store's StoreError. */
export async function loadOrders({
  store,
  now,
  queryMs,
}: OperatorOrdersDeps): Promise<readonly OperatorOrder[]> {
  const query = { filter: MATCH_ALL, sort: [], skip: 0, limit: EVERY_RECORD } as const;
  const documents = await store.find(ORDERS, query, { deadline: now() + queryMs });
  return documents.flatMap(toOrder);
}

/** The state of a module once the order is carried out. */
export function applyOrder(state: ModuleState, { action, at }: OperatorOrder): ModuleState {
  return action === 'suspend' ? withSuspension(state, { by: 'operator', at }) : withResume(state);
}

/** The write that deletes an order. */
export const deleteOrderWrite = ({ id, v }: OperatorOrder): Write => ({ kind: 'remove', ns: ORDERS, id, v });

/** The states once all orders are carried out. */
export function applyOrders(
  states: readonly ModuleState[],
  orders: readonly OperatorOrder[],
): readonly ModuleState[] {
  const byKey = new Map(states.map((state) => [state.key, state]));
  for (const order of orders) {
    byKey.set(order.key, applyOrder(byKey.get(order.key) ?? initialState(order.key), order));
  }
  return [...byKey.values()];
}

interface PlaceOrderDeps extends OperatorOrdersDeps {
  readonly audit: Pick<Audit, 'commit'>;
}

/** Stores an order, in one commit with its audit entry. A newer one replaces an older one. */
export async function placeOrder(
  { store, audit, now, queryMs }: PlaceOrderDeps,
  address: ModuleAddress,
  { action, sha256 }: { readonly action: OperatorOrder['action']; readonly sha256: string | null },
): Promise<void> {
  const key = moduleKey(address);
  const deadline = now() + queryMs;
  const before = (await loadOrders({ store, now, queryMs })).find((order) => order.key === key);
  const v = (before?.v ?? 0) + 1;
  const document: StoredDocument = { _id: idOf(key), v, key, action, at: now() };
  const write: Write =
    before === undefined
      ? { kind: 'insert', ns: ORDERS, document }
      : { kind: 'update', ns: ORDERS, id: before.id, v: before.v, document, changed: ['action', 'at', 'v'] };
  const auditEntry = moduleAuditEntry({ address, action, clientId: null, before: sha256, after: sha256 });
  await audit.commit(auditEntry, [write], { deadline });
}
