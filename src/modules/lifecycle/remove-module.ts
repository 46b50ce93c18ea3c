// Removing a module: by a client, or because its file is gone.
import type { Audit } from '../../auth/audit/audit.ts';
import type { Log } from '../../lib/logger.ts';
import { moduleAuditEntry, moduleKey } from '../model/module-address.ts';
import type { ModuleAddress } from '../model/module-types.ts';
import type { ModuleRecords } from '../versions/module-records.ts';
import type { ModuleStates } from '../versions/module-states.ts';
import { withRemoval } from '../versions/state-transitions.ts';
import type { ModuleFiles } from './module-files.ts';
import { restoreFiles } from './publish-version.ts';

export interface RemoveModuleDeps {
  readonly states: ModuleStates;
  readonly records: Pick<ModuleRecords, 'saveState'>;
  readonly files: ModuleFiles;
  readonly logs: { drop(key: string): void };
  readonly audit: Pick<Audit, 'recordChange'>;
  readonly log: Pick<Log, 'error'>;
}

/**
 * Removes code, policy and log. The versions stay, and so does a suspension, for whoever posts the name again. Throws
 * NOT_FOUND, WORKSPACE_UNAVAILABLE.
 */
export async function removeModule(
  deps: RemoveModuleDeps,
  address: ModuleAddress,
  by: string,
): Promise<void> {
  const { files, records, states, logs, audit } = deps;
  const { key, active } = states.getOrThrow(address).state;
  const before = active?.sha256 ?? null;
  const auditEntry = moduleAuditEntry({ address, action: 'remove', clientId: by, before, after: null });
  await audit.recordChange(auditEntry, async () => {
    try {
      // The policy first: a crash in between leaves code without power, never grants for whoever posts the name next.
      await files.remove(address, 'policy');
      await files.remove(address, 'code');
      await records.saveState(withRemoval(states.getState(key)));
    } catch (error) {
      await restoreFiles(deps, address, { withPolicy: true });
      throw error;
    }
    states.remove(withRemoval(states.getState(key)));
    logs.drop(key);
  });
}

/** Removes a module whose code file is gone. */
export async function removeDeletedModule(
  deps: Omit<RemoveModuleDeps, 'audit' | 'log'>,
  address: ModuleAddress,
): Promise<void> {
  const { states, records, files, logs } = deps;
  const key = moduleKey(address);
  const before = states.getState(key).active?.sha256 ?? null;
  await files.remove(address, 'policy');
  const auditEntry = moduleAuditEntry({ address, action: 'remove', clientId: null, before, after: null });
  await records.saveState(withRemoval(states.getState(key)), auditEntry);
  states.remove(withRemoval(states.getState(key)));
  logs.drop(key);
}
