// Taking modules away: for good, or until an admin lets them run again.
import { AppError } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, entryOf } from './core.ts';
import type { Incidents } from './incidents.ts';
import { takeBackFiles } from './install.ts';
import type { Held } from './shelf.ts';
import { removed, resumed, suspended } from './transitions.ts';

/** Throws NOT_FOUND. */
export function mustHold({ shelf }: Pick<Core, 'shelf'>, address: ModuleAddress): Held {
  const held = shelf.get(keyOf(address));
  if (held === undefined) throw new AppError('NOT_FOUND');
  return held;
}

/** Removes code, policy and log; the versions stay. Throws NOT_FOUND, WORKSPACE_UNAVAILABLE. */
export async function removeModule(core: Core, address: ModuleAddress, by: string): Promise<void> {
  const { files, records, shelf, logs } = core;
  const { state } = mustHold(core, address);
  const before = state.active?.sha256 ?? null;
  const entry = entryOf({ address, action: 'remove', clientId: by, before, after: null });
  await core.audit.announce(entry, async () => {
    try {
      // The policy first: a crash in between leaves code without power, never grants for whoever posts the name next.
      await files.remove(address, 'policy');
      await files.remove(address, 'code');
      await records.save(removed(shelf.state(state.key), true));
    } catch (error) {
      await takeBackFiles(core, address, true);
      throw error;
    }
    shelf.remove(removed(shelf.state(state.key), true));
    logs.drop(state.key);
  });
}

/**
 * Nothing of the module runs from now on. A kill switch works at once, also while the database is away: what that could not
 * store then, with the entry of the audit log, it stores as soon as it is back. Throws NOT_FOUND, and what the store throws.
 */
export async function suspendModule(
  core: Core,
  address: ModuleAddress,
  { by, incidents }: { readonly by: string; readonly incidents: Pick<Incidents, 'storeLater'> },
): Promise<void> {
  const { shelf, records } = core;
  const { state } = mustHold(core, address);
  const hash = state.active?.sha256 ?? null;
  const entry = entryOf({ address, action: 'suspend', clientId: by, before: hash, after: hash });
  shelf.setState(suspended(shelf.state(state.key), 'admin'));
  try {
    await records.save(shelf.state(state.key), entry);
  } catch (error) {
    incidents.storeLater(address, entry);
    throw error;
  }
}

/** Lifts any suspension. Throws NOT_FOUND. */
export async function resumeModule(core: Core, address: ModuleAddress, by: string): Promise<void> {
  const { shelf, records } = core;
  const { state } = mustHold(core, address);
  const hash = state.active?.sha256 ?? null;
  const entry = entryOf({ address, action: 'resume', clientId: by, before: hash, after: hash });
  await records.save(resumed(shelf.state(state.key)), entry);
  shelf.setState(resumed(shelf.state(state.key)));
}
