// Records of modules as several processes share them: each change of a state is announced once it is stored, and one state is read
// anew.
import { filterById } from '../../stores/filter.ts';
import type { DocumentStore } from '../../stores/ports.ts';
import {
  MODULE_STATES,
  type ModuleRecords,
  type ModuleState,
  recordIdOf,
  toModuleState,
} from './module-records.ts';

interface SharedRecordsDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one database operation, in milliseconds. */
  readonly queryMs: number;
  /** Tells other processes that the state of a module is stored. Never rejects. */
  readonly announce: (key: string) => Promise<void>;
}

export interface SharedRecords extends ModuleRecords {
  /** Loads the stored state of one module, present or removed. Rejects with the store's StoreError. */
  loadState(key: string): Promise<ModuleState | undefined>;
}

export function createSharedRecords(records: ModuleRecords, deps: SharedRecordsDeps): SharedRecords {
  const { store, now, queryMs, announce } = deps;
  return {
    ...records,
    async loadState(key) {
      const query = { filter: filterById(recordIdOf(key)), sort: [], skip: 0, limit: 1 } as const;
      const [found] = await store.find(MODULE_STATES, query, { deadline: now() + queryMs });
      return found === undefined ? undefined : toModuleState(found);
    },
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
