// Taking modules away: for good, or until an admin lets them run again.
import { AppError } from '../../errors.ts';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { withRemoval, withResume, withSuspension } from '../versions/state-transitions.ts';
import { type LifecycleDeps, moduleAuditEntry, withModuleLock } from './lifecycle-deps.ts';
import { restoreFiles } from './publish.ts';

/** Throws NOT_FOUND. */
export function getModuleOrThrow(
  { shelf }: Pick<LifecycleDeps, 'shelf'>,
  address: ModuleAddress,
): ModuleEntry {
  const held = shelf.get(moduleKey(address));
  if (held === undefined) throw new AppError('NOT_FOUND');
  return held;
}

/** Removes code, policy and log; the versions stay, and so does a suspension, for whoever posts the name again. Throws NOT_FOUND, WORKSPACE_UNAVAILABLE. */
export async function removeModule(core: LifecycleDeps, address: ModuleAddress, by: string): Promise<void> {
  const { files, records, shelf, logs } = core;
  const { state } = getModuleOrThrow(core, address);
  const before = state.active?.sha256 ?? null;
  const entry = moduleAuditEntry({ address, action: 'remove', clientId: by, before, after: null });
  await core.audit.announce(entry, async () => {
    try {
      // The policy first: a crash in between leaves code without power, never grants for whoever posts the name next.
      await files.remove(address, 'policy');
      await files.remove(address, 'code');
      await records.saveState(withRemoval(shelf.getState(state.key)));
    } catch (error) {
      await restoreFiles(core, address, true);
      throw error;
    }
    shelf.remove(withRemoval(shelf.getState(state.key)));
    logs.drop(state.key);
  });
}

interface SuspendOptions {
  readonly by: string;
  readonly incidents: Pick<CircuitBreaker, 'storeLater'>;
}

/**
 * Nothing of the module runs from now on, and nothing that it began goes on when this resolves. A kill switch waits for no
 * other change of the module, and works while the database is away: what that could not store then, with the entry of the
 * audit log, it stores as soon as it is back. Throws NOT_FOUND, and what the store throws.
 */
export async function suspendModule(
  core: LifecycleDeps,
  address: ModuleAddress,
  { by, incidents }: SuspendOptions,
): Promise<void> {
  const { shelf, records, stop, now } = core;
  const { key, active } = getModuleOrThrow(core, address).state;
  const hash = active?.sha256 ?? null;
  const entry = moduleAuditEntry({ address, action: 'suspend', clientId: by, before: hash, after: hash });
  const at = now();
  const suspend = () =>
    shelf.setState(withSuspension(shelf.getState(key), { by: 'admin', clientId: by, at }));
  suspend();
  const stopped = stop(key);
  try {
    await withModuleLock(core, address, () => {
      // Another admin may have lifted an older suspension meanwhile.
      suspend();
      return records.saveState(shelf.getState(key), entry);
    });
  } catch (error) {
    incidents.storeLater(address, entry);
    throw error;
  } finally {
    await stopped;
  }
}

/** Lifts the suspension of an admin or of the circuit breaker. Throws NOT_FOUND, SUSPENDED_BY_OPERATOR. */
export async function resumeModule(core: LifecycleDeps, address: ModuleAddress, by: string): Promise<void> {
  const { shelf, records } = core;
  const { state } = getModuleOrThrow(core, address);
  const { suspendedBy } = state;
  if (suspendedBy === 'operator') throw new AppError('SUSPENDED_BY_OPERATOR');
  const hash = state.active?.sha256 ?? null;
  const entry = moduleAuditEntry({ address, action: 'resume', clientId: by, before: hash, after: hash });
  await records.saveState(withResume(state), entry);
  const now = shelf.getState(state.key);
  // One that came while this was stored stays: whoever ordered it stores it next.
  if (now.suspendedBy === suspendedBy) shelf.setState(withResume(now));
}
