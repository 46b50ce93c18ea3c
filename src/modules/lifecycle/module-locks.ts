// Locks of module changes: one per module, and one for all changes that take names and routes.
import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import { moduleKey } from '../model/module-address.ts';
import type { ModuleAddress } from '../model/module-types.ts';

export interface ModuleLocks {
  /** Runs a change of one module after every earlier one. */
  withModule<T>(address: ModuleAddress, task: () => Promise<T>): Promise<T>;
  /** Runs a change that may take a name or a route after every earlier one of any module. Take the module's lock first. */
  withPaths<T>(task: () => Promise<T>): Promise<T>;
}

export function createModuleLocks(): ModuleLocks {
  const mutex = createKeyedMutex();
  return {
    withModule: (address, task) => mutex.withLock(moduleKey(address), task),
    // No module has an empty key.
    withPaths: (task) => mutex.withLock('', task),
  };
}
