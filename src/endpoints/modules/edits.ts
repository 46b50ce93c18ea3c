// Files that somebody changed by hand: new code, a new policy, or gone. What is broken changes nothing but the log.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreAway } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, entryOf, inTurn } from './core.ts';
import type { FileText, ModuleFile } from './files.ts';
import { installLaid } from './install.ts';
import { adoptPolicy } from './policies.ts';
import { readPolicyText } from './policy-text.ts';
import { removed } from './transitions.ts';

// Some editors remove a file before they write it anew.
const GONE_FOR_GOOD_MS = 300;

/** Logs why a file is not in force: its problems, or what failed underneath. */
export function logRefusal({ log }: Pick<Core, 'log'>, file: string, error: unknown): void {
  if (error instanceof AppError) log.error({ file, problems: error.items }, 'this file is not in force');
  else log.error({ file, err: error }, 'this file cannot be brought into force');
}

const asProblem = (why: string) =>
  new AppError('ENDPOINT_INVALID', { message: `The file cannot be read: ${why}` });

async function changedCode(core: Core, address: ModuleAddress, text: string): Promise<void> {
  const { acceptance, shelf } = core;
  const key = keyOf(address);
  const held = shelf.get(key);
  if (held?.source === text && held.faults.code === undefined) return;
  const source = acceptance.text(text);
  const isolation = held?.policy.effective(key, false).isolation ?? 'realm';
  const { metadata, warnings } = await acceptance.look(source, address.kind, isolation);
  await installLaid(core, { address, source, metadata, action: held === undefined ? 'create' : 'replace' });
  for (const warning of warnings) core.log.warn({ module: key, warning }, 'code warning');
}

/** Takes away a module whose file is gone: like a delete. */
export async function removeLost(core: Core, address: ModuleAddress): Promise<void> {
  const { shelf, records, files, logs } = core;
  const key = keyOf(address);
  const before = shelf.state(key).active?.sha256 ?? null;
  await files.remove(address, 'policy');
  const entry = entryOf({ address, action: 'remove', clientId: null, before, after: null });
  await records.save(removed(shelf.state(key)), entry);
  shelf.remove(removed(shelf.state(key)));
  logs.drop(key);
}

async function lostCode(core: Core, address: ModuleAddress): Promise<void> {
  const held = core.shelf.get(keyOf(address));
  // A module that still waits for its first approval has no file.
  if (held === undefined || held.source === undefined) return;
  await setTimeout(GONE_FOR_GOOD_MS);
  const again = await core.files.read(address, 'code');
  if (again.state === 'absent') return removeLost(core, address);
  if (again.state === 'text') return changedCode(core, address, again.text);
}

async function applyCode(core: Core, address: ModuleAddress, found: FileText): Promise<void> {
  if (found.state === 'unreadable') throw asProblem(found.why);
  if (found.state === 'absent') return lostCode(core, address);
  return changedCode(core, address, found.text);
}

async function applyPolicy(core: Core, address: ModuleAddress, found: FileText): Promise<void> {
  if (found.state === 'unreadable') throw asProblem(found.why);
  const policy =
    found.state === 'absent' ? core.policies.none : await readPolicyText(core.policies, found.text);
  await adoptPolicy(core, address, policy);
}

/**
 * Brings into force what has become of a file, if anybody but us changed it. Never rejects; gives false where the store
 * was away: the edit is to be applied later.
 */
export function applyEdit(core: Core, { address, part, file }: ModuleFile): Promise<boolean> {
  return inTurn(core, address, async () => {
    try {
      const found = await core.files.changed(address, part);
      if (found === undefined) return true;
      await (part === 'code' ? applyCode : applyPolicy)(core, address, found);
      core.log.info({ file }, found.state === 'absent' ? 'a file was removed' : 'a file was edited');
    } catch (error) {
      if (isStoreAway(error)) {
        core.files.forget(address, part);
        return false;
      }
      logRefusal(core, file, error);
    }
    return true;
  });
}
