// Carries out what the operator orders while the server runs.
import { isStoreUnavailable } from '../../errors.ts';
import { pause as pauseOnClock } from '../../lib/async/pause.ts';
import { parseModuleKey } from '../model/address.ts';
import { type LifecycleDeps, withModuleLock } from './lifecycle-deps.ts';
import { applyOrder, deleteOrderWrite, loadOrders, type OperatorOrder } from './operator-orders.ts';

/** Milliseconds between two looks. */
const POLL_INTERVAL_MS = 1000;

type Options = Pick<Parameters<typeof loadOrders>[0], 'store' | 'queryMs'>;

export interface OperatorOrderWatch {
  /** Carries out what there is, and looks again every second from then on. Rejects with the store's StoreError. */
  start(): Promise<void>;
  /** Looks now. */
  poll(): Promise<void>;
  /** Waits for what is in hand. */
  close(): Promise<void>;
}

/** Makes the watch. Nothing is read before `begin`. */
export function createOperatorOrderWatch(
  core: LifecycleDeps,
  { store, queryMs }: Options,
): OperatorOrderWatch {
  const { shelf, records, log, now } = core;
  const closing = new AbortController();
  /** Orders that are in force and wait to be stored. */
  const unstored = new Set<string>();
  const looks = new Set<Promise<void>>();
  let watching: Promise<void> | undefined;
  let wasAway = false;

  const carryOut = async (order: OperatorOrder): Promise<void> => {
    const address = parseModuleKey(order.key);
    const name = `${order.key} ${order.v}`;
    if (address === undefined || unstored.has(name)) return;
    unstored.add(name);
    const apply = () => shelf.setState(applyOrder(shelf.getState(order.key), order));
    // In force at once; what waits its turn is only that it is stored.
    apply();
    try {
      await withModuleLock(core, address, () => {
        // An admin may have lifted another suspension meanwhile.
        if (order.action === 'suspend') apply();
        return records.saveState(shelf.getState(order.key), undefined, [deleteOrderWrite(order)]);
      });
    } finally {
      unstored.delete(name);
    }
    log.warn(
      { module: order.key },
      order.action === 'suspend' ? 'suspended by a command' : 'resumed by a command',
    );
  };

  const look = async (): Promise<void> => {
    const orders = await loadOrders({ store, now, queryMs });
    await Promise.all(orders.map(carryOut));
  };

  const lookOrWarn = async (): Promise<void> => {
    try {
      await look();
      wasAway = false;
    } catch (error) {
      // A newer order may have come in between; the next look finds it.
      if (!wasAway && !isStoreUnavailable(error))
        log.warn({ err: error }, 'an order was not stored; it is looked at again');
      wasAway = true;
    }
  };

  const watch = async () => {
    for (;;) {
      await pauseOnClock(POLL_INTERVAL_MS, closing.signal);
      if (closing.signal.aborted) return;
      // Not waited for: what is stored late must not delay what is ordered next.
      const looking = lookOrWarn().finally(() => looks.delete(looking));
      looks.add(looking);
    }
  };

  return {
    poll: look,
    async start() {
      await look();
      watching ??= watch();
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all(looks);
    },
  };
}
