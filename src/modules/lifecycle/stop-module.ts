// Stopping a module: suspending and resuming it by an admin, and removing it, by a client or because its file is gone.

import type { Actor } from '../../auth/audit/actor.ts';
import type { Audit } from '../../auth/audit/audit.ts';
import { AppError } from '../../errors/errors.ts';
import type { Log } from '../../lib/logger.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey } from '../model/module-types.ts';
import type { ModuleRecords } from '../versions/module-records.ts';
import type { ModuleLocks, ModuleStates } from '../versions/module-states.ts';
import { withRemoval, withResume, withSuspension } from '../versions/state-transitions.ts';
import type { DeferredWrites } from './deferred-writes.ts';
import type { ModuleFiles } from './module-files.ts';
import { restoreFiles } from './publish-steps.ts';

export interface SuspendModuleDeps {
  readonly states: ModuleStates;
  readonly records: Pick<ModuleRecords, 'saveState'>;
  readonly writes: Pick<DeferredWrites, 'saveState' | 'recordAudit'>;
  readonly locks: Pick<ModuleLocks, 'withModule'>;
  /** Ends all invocations of a module, and resolves when none goes on. */
  readonly stop: (key: string) => Promise<void>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Suspends at once: no call begins from now on, and none goes on when this resolves. Waits for no other change of the module,
 * and works while the store is unavailable: state and audit entry are stored when it is back. Throws NOT_FOUND, and what the
 * store throws.
 */
export async function suspendModule(
  deps: SuspendModuleDeps,
  address: ModuleAddress,
  actor: Actor,
): Promise<void> {
  const { states, records, writes, locks, stop, now } = deps;
  const { key, active } = states.getOrThrow(address).state;
  const hash = active?.sha256 ?? null;
  const auditEntry = moduleAuditEntry({
    address,
    action: 'suspend',
    actor,
    before: hash,
    after: hash,
  });
  const suspension = { by: 'admin', clientId: actor.clientId, at: now() } as const;
  const suspend = () => states.setState(withSuspension(states.getState(key), suspension));
  suspend();
  const stopped = stop(key);
  try {
    await locks.withModule(address, () => {
      // Another admin may have lifted an older suspension meanwhile.
      suspend();
      return records.saveState(states.getState(key), auditEntry);
    });
  } catch (error) {
    writes.saveState(address, suspension);
    writes.recordAudit(auditEntry);
    throw error;
  } finally {
    await stopped;
  }
}

/** Lifts the suspension of an admin or of the circuit breaker. Throws NOT_FOUND, SUSPENDED_BY_OPERATOR. */
export function resumeModule(deps: SuspendModuleDeps, address: ModuleAddress, actor: Actor): Promise<void> {
  const { states, records, locks } = deps;
  return locks.withModule(address, async () => {
    const { state } = states.getOrThrow(address);
    const { key, suspendedBy } = state;
    if (suspendedBy === 'operator') throw new AppError('SUSPENDED_BY_OPERATOR');
    const hash = state.active?.sha256 ?? null;
    const auditEntry = moduleAuditEntry({
      address,
      action: 'resume',
      actor,
      before: hash,
      after: hash,
    });
    await records.saveState(withResume(state), auditEntry);
    const current = states.getState(key);
    // A suspension that came in meanwhile stays: it is stored next.
    if (current.suspendedBy === suspendedBy) states.setState(withResume(current));
  });
}

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
  actor: Actor,
): Promise<void> {
  const { files, records, states, logs, audit } = deps;
  const { key, active } = states.getOrThrow(address).state;
  const before = active?.sha256 ?? null;
  const auditEntry = moduleAuditEntry({ address, action: 'remove', actor, before, after: null });
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
  const auditEntry = moduleAuditEntry({ address, action: 'remove', actor: null, before, after: null });
  await records.saveState(withRemoval(states.getState(key)), auditEntry);
  states.remove(withRemoval(states.getState(key)));
  logs.drop(key);
}
