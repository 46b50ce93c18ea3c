// Taking modules away: for good, or until an admin lets them run again.
import { AppError } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, note } from './core.ts';
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
  // The policy first: a crash in between leaves code without power, never grants for whoever posts the name next.
  await files.remove(address, 'policy');
  await files.remove(address, 'code');
  try {
    await records.save(removed(shelf.state(state.key), true));
  } catch (error) {
    await takeBackFiles(core, address, true);
    throw error;
  }
  shelf.remove(removed(shelf.state(state.key), true));
  logs.drop(state.key);
  const before = state.active?.sha256 ?? null;
  await note(core, { address, action: 'remove', clientId: by, before, after: null });
}

async function changeSuspension(
  core: Core,
  address: ModuleAddress,
  { action, by }: { readonly action: 'suspend' | 'resume'; readonly by: string },
): Promise<void> {
  const { shelf, records } = core;
  const { state } = mustHold(core, address);
  const change = action === 'suspend' ? (now: typeof state) => suspended(now, 'admin') : resumed;
  // A kill switch works at once, also while the database is away; what is stored decides after a restart.
  if (action === 'suspend') shelf.setState(change(shelf.state(state.key)));
  await records.save(change(shelf.state(state.key)));
  shelf.setState(change(shelf.state(state.key)));
  const hash = state.active?.sha256 ?? null;
  await note(core, { address, action, clientId: by, before: hash, after: hash });
}

/** Nothing of the module runs from now on. Throws NOT_FOUND. */
export function suspendModule(core: Core, address: ModuleAddress, by: string): Promise<void> {
  return changeSuspension(core, address, { action: 'suspend', by });
}

/** Lifts any suspension. Throws NOT_FOUND. */
export function resumeModule(core: Core, address: ModuleAddress, by: string): Promise<void> {
  return changeSuspension(core, address, { action: 'resume', by });
}
