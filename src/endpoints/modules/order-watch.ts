// Carries out what the operator orders while the server runs.
import { isStoreAway } from '../../errors.ts';
import { pause as pauseOnClock } from '../../lib/pause.ts';
import { addressOf } from './address.ts';
import { type Core, inTurn } from './core.ts';
import { type Order, ordered, readOrders, taken } from './orders.ts';

/** Milliseconds between two looks. */
const EVERY_MS = 1000;

type Options = Pick<Parameters<typeof readOrders>[0], 'store' | 'queryMs'>;

export interface OrderWatch {
  /** Carries out what there is, and looks again every second from then on. Rejects with the store's StoreError. */
  begin(): Promise<void>;
  /** Looks now. */
  look(): Promise<void>;
  /** Waits for what is in hand. */
  close(): Promise<void>;
}

/** Makes the watch. Nothing is read before `begin`. */
export function createOrderWatch(core: Core, { store, queryMs }: Options): OrderWatch {
  const { shelf, records, log, now } = core;
  const closing = new AbortController();
  /** Orders that are in force and wait to be stored. */
  const unstored = new Set<string>();
  const looks = new Set<Promise<void>>();
  let watching: Promise<void> | undefined;
  let wasAway = false;

  const carryOut = async (order: Order): Promise<void> => {
    const address = addressOf(order.key);
    const name = `${order.key} ${order.v}`;
    if (address === undefined || unstored.has(name)) return;
    unstored.add(name);
    const apply = () => shelf.setState(ordered(shelf.state(order.key), order));
    // In force at once; what waits its turn is only that it is stored.
    apply();
    try {
      await inTurn(core, address, () => {
        // An admin may have lifted another suspension meanwhile.
        if (order.action === 'suspend') apply();
        return records.save(shelf.state(order.key), undefined, [taken(order)]);
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
    const orders = await readOrders({ store, now, queryMs });
    await Promise.all(orders.map(carryOut));
  };

  const lookOrWarn = async (): Promise<void> => {
    try {
      await look();
      wasAway = false;
    } catch (error) {
      // A newer order may have come in between; the next look finds it.
      if (!wasAway && !isStoreAway(error))
        log.warn({ err: error }, 'an order was not stored; it is looked at again');
      wasAway = true;
    }
  };

  const watch = async () => {
    for (;;) {
      await pauseOnClock(EVERY_MS, closing.signal);
      if (closing.signal.aborted) return;
      // Not waited for: what is stored late must not delay what is ordered next.
      const looking = lookOrWarn().finally(() => looks.delete(looking));
      looks.add(looking);
    }
  };

  return {
    look,
    async begin() {
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
