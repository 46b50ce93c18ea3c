// Carries out the orders of operators while the server runs: polls for them every second.
import { isStoreUnavailable } from '../../errors/errors.ts';
import { pause as pauseOnClock } from '../../lib/async/retry.ts';
import type { Log } from '../../lib/logger.ts';
import { parseModuleKey } from '../model/module-address.ts';
import type { ModuleRecords } from '../versions/module-records.ts';
import type { ModuleStates } from '../versions/module-states.ts';
import type { ModuleLocks } from './module-locks.ts';
import {
  applyOperatorCommand,
  deleteCommandWrite,
  loadOperatorCommands,
  type OperatorCommand,
  type OperatorCommandsDeps,
} from './operator-commands.ts';

const POLL_INTERVAL_MS = 1000;

interface OperatorCommandWatchDeps extends OperatorCommandsDeps {
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
    // Applied at once; only storing it waits for other changes of the module.
    apply();
    try {
      await locks.withModule(address, () => {
        // An admin may have lifted another suspension meanwhile.
        if (action === 'suspend') apply();
        return records.saveState(states.getState(key), undefined, [deleteCommandWrite(order)]);
      });
    } finally {
      unstored.delete(id);
    }
    log.warn({ module: key }, action === 'suspend' ? 'operator suspended module' : 'operator resumed module');
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
