// Taking modules away: for good, or until an admin lets them run again.
import { AppError } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, entryOf, inTurn } from './core.ts';
import type { Incidents } from './incidents.ts';
import { takeBackFiles } from './install.ts';
import type { Held } from './shelf.ts';
import { forgiven, removed, suspended } from './transitions.ts';

/** Throws NOT_FOUND. */
export function mustHold({ shelf }: Pick<Core, 'shelf'>, address: ModuleAddress): Held {
  const held = shelf.get(keyOf(address));
  if (held === undefined) throw new AppError('NOT_FOUND');
  return held;
}

/** Removes code, policy and log; the versions stay, and so does a suspension, for whoever posts the name again. Throws NOT_FOUND, WORKSPACE_UNAVAILABLE. */
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
      await records.save(removed(shelf.state(state.key)));
    } catch (error) {
      await takeBackFiles(core, address, true);
      throw error;
    }
    shelf.remove(removed(shelf.state(state.key)));
    logs.drop(state.key);
  });
}

interface Suspending {
  readonly by: string;
  readonly incidents: Pick<Incidents, 'storeLater'>;
}

/**
 * Nothing of the module runs from now on, and nothing that it began goes on when this resolves. A kill switch waits for no
 * other change of the module, and works while the database is away: what that could not store then, with the entry of the
 * audit log, it stores as soon as it is back. Throws NOT_FOUND, and what the store throws.
 */
export async function suspendModule(
  core: Core,
  address: ModuleAddress,
  { by, incidents }: Suspending,
): Promise<void> {
  const { shelf, records, stop, now } = core;
  const { key, active } = mustHold(core, address).state;
  const hash = active?.sha256 ?? null;
  const entry = entryOf({ address, action: 'suspend', clientId: by, before: hash, after: hash });
  const at = now();
  const suspend = () => shelf.setState(suspended(shelf.state(key), { by: 'admin', clientId: by, at }));
  suspend();
  const stopped = stop(key);
  try {
    await inTurn(core, address, () => {
      // Another admin may have lifted an older suspension meanwhile.
      suspend();
      return records.save(shelf.state(key), entry);
    });
  } catch (error) {
    incidents.storeLater(address, entry);
    throw error;
  } finally {
    await stopped;
  }
}

/** Lifts the suspension of an admin or of the circuit breaker. Throws NOT_FOUND, SUSPENDED_BY_OPERATOR. */
export async function resumeModule(core: Core, address: ModuleAddress, by: string): Promise<void> {
  const { shelf, records } = core;
  const { state } = mustHold(core, address);
  const { suspendedBy } = state;
  if (suspendedBy === 'operator') throw new AppError('SUSPENDED_BY_OPERATOR');
  const hash = state.active?.sha256 ?? null;
  const entry = entryOf({ address, action: 'resume', clientId: by, before: hash, after: hash });
  await records.save(forgiven(state), entry);
  const now = shelf.state(state.key);
  // One that came while this was stored stays: whoever ordered it stores it next.
  if (now.suspendedBy === suspendedBy) shelf.setState(forgiven(now));
}
