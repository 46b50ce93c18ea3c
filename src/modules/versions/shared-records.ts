// Records of modules as several processes share them: each change of a state is announced once it is stored.
import type { ModuleRecords } from './module-records.ts';

/** `announce` tells other processes that the state of a module is stored, and never rejects. */
export function createSharedRecords(
  records: ModuleRecords,
  announce: (key: string) => Promise<void>,
): ModuleRecords {
  return {
    ...records,
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
