// The turn of building indexes: of several processes with one data file one builds at a time, and the others see what it has built. A
// lock of the operating system, which ends with its process, however that ends.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './data-file/connection.ts';
import { lockFile } from './data-file/data-folder.ts';

export interface BuildTurn {
  /** Whether this process has the turn now. Throws errors of the file. */
  take(): boolean;
  release(): void;
}

const LOCK_FILE = 'cloister.builds.lock';

/** Creates the turn without taking it. `folder`: that of the data file. */
export function createBuildTurn(folder: string): BuildTurn {
  let held: DatabaseSync | undefined;
  return {
    take() {
      try {
        held ??= lockFile(join(folder, LOCK_FILE));
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
    },
    release() {
      held?.close();
      held = undefined;
    },
  };
}
