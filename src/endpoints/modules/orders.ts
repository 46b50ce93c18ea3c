// What the operator orders by a command: kept in the database, where a server that runs finds it within a second, and the next
// start otherwise. A server keeps the states of its modules in memory: nobody else may write those.
import type { Audit } from '../../auth/audit.ts';
import { fingerprint } from '../../lib/fingerprint.ts';
import { EVERYTHING } from '../../stores/filter.ts';
import type { DocumentStore, Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { ModuleAddress } from '../modules.ts';
import { addressOf, keyOf } from './address.ts';
import { entryOf } from './core.ts';
import { type ModuleState, newState } from './records.ts';
import { forgiven, suspended } from './transitions.ts';

// No path over HTTP reaches it.
const ORDERS: Namespace = { database: null, collection: 'cloister.moduleOrders' };
const EVERY_RECORD = Number.MAX_SAFE_INTEGER;

export interface Order {
  /** Of the module: `endpoint:1.0/report`. */
  readonly key: string;
  readonly action: 'suspend' | 'resume';
  /** Epoch milliseconds. */
  readonly at: number;
  /** What is stored, so that it is taken away only if no newer order has replaced it. */
  readonly id: string;
  readonly v: number;
}

interface OrdersOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
}

const idOf = (key: string) => fingerprint(`order ${key}`).slice(0, 24);

function toOrder({ _id, v, key, action, at }: StoredDocument): readonly Order[] {
  if (typeof key !== 'string' || addressOf(key) === undefined) return [];
  if (action !== 'suspend' && action !== 'resume') return [];
  return [{ key, action, at: Number(at), id: String(_id), v: Number(v) }];
}

/** The orders that no server has carried out yet. Rejects with the store's StoreError. */
export async function readOrders({ store, now, queryMs }: OrdersOptions): Promise<readonly Order[]> {
  const query = { filter: EVERYTHING, sort: [], skip: 0, limit: EVERY_RECORD } as const;
  const found = await store.find(ORDERS, query, { deadline: now() + queryMs });
  return found.flatMap(toOrder);
}

/** The state of a module once the order is carried out. */
export function ordered(state: ModuleState, { action, at }: Order): ModuleState {
  return action === 'suspend' ? suspended(state, { by: 'operator', at }) : forgiven(state);
}

/** The write that takes an order away. */
export const taken = ({ id, v }: Order): Write => ({ kind: 'remove', ns: ORDERS, id, v });

/** States as they are once all orders are carried out. */
export function withOrders(states: readonly ModuleState[], orders: readonly Order[]): readonly ModuleState[] {
  const byKey = new Map(states.map((state) => [state.key, state]));
  for (const order of orders) {
    byKey.set(order.key, ordered(byKey.get(order.key) ?? newState(order.key), order));
  }
  return [...byKey.values()];
}

interface GiveOptions extends OrdersOptions {
  readonly audit: Pick<Audit, 'commit'>;
}

/** Leaves an order, in one commit with its entry in the audit log. A newer one replaces an older one. */
export async function giveOrder(
  { store, audit, now, queryMs }: GiveOptions,
  address: ModuleAddress,
  { action, sha256 }: { readonly action: Order['action']; readonly sha256: string | null },
): Promise<void> {
  const key = keyOf(address);
  const deadline = now() + queryMs;
  const before = (await readOrders({ store, now, queryMs })).find((order) => order.key === key);
  const v = (before?.v ?? 0) + 1;
  const document: StoredDocument = { _id: idOf(key), v, key, action, at: now() };
  const write: Write =
    before === undefined
      ? { kind: 'insert', ns: ORDERS, document }
      : { kind: 'update', ns: ORDERS, id: before.id, v: before.v, document, changed: ['action', 'at', 'v'] };
  const entry = entryOf({ address, action, clientId: null, before: sha256, after: sha256 });
  await audit.commit(entry, [write], { deadline });
}
