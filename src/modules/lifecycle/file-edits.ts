// Files that somebody changed by hand: new code, a new policy, or gone. What is broken changes nothing but the log.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreUnavailable } from '../../errors.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import { withRemoval } from '../versions/state-transitions.ts';
import { type LifecycleDeps, moduleAuditEntry, withModuleLock } from './lifecycle-deps.ts';
import type { FileText, ModuleFile } from './module-files.ts';
import { parsePolicyText } from './policy-file.ts';
import { publishFromFile } from './publish.ts';
import { applyPolicyFromFile } from './put-policy.ts';

// Some editors remove a file before they write it anew.
const DELETION_DELAY_MS = 300;

/** Logs why a file is not in force: its problems, or what failed underneath. */
export function logRejectedFile({ log }: Pick<LifecycleDeps, 'log'>, file: string, error: unknown): void {
  if (error instanceof AppError) log.error({ file, problems: error.items }, 'this file is not in force');
  else log.error({ file, err: error }, 'this file cannot be brought into force');
}

const unreadableFileError = (why: string) =>
  new AppError('ENDPOINT_INVALID', { message: `The file cannot be read: ${why}` });

async function applyChangedCode(core: LifecycleDeps, address: ModuleAddress, text: string): Promise<void> {
  const { acceptance, shelf } = core;
  const key = moduleKey(address);
  const held = shelf.get(key);
  if (held?.source === text && held.faults.code === undefined) return;
  const source = acceptance.normalizeText(text);
  const isolation = held?.policy.resolve(key, false).isolation ?? 'realm';
  const { metadata, warnings } = await acceptance.inspect(source, address.kind, isolation);
  await publishFromFile(core, {
    address,
    source,
    metadata,
    action: held === undefined ? 'create' : 'replace',
  });
  for (const warning of warnings) core.log.warn({ module: key, warning }, 'code warning');
}

/** Takes away a module whose file is gone: like a delete. */
export async function removeDeletedModule(core: LifecycleDeps, address: ModuleAddress): Promise<void> {
  const { shelf, records, files, logs } = core;
  const key = moduleKey(address);
  const before = shelf.getState(key).active?.sha256 ?? null;
  await files.remove(address, 'policy');
  const entry = moduleAuditEntry({ address, action: 'remove', clientId: null, before, after: null });
  await records.saveState(withRemoval(shelf.getState(key)), entry);
  shelf.remove(withRemoval(shelf.getState(key)));
  logs.drop(key);
}

async function applyDeletedCode(core: LifecycleDeps, address: ModuleAddress): Promise<void> {
  const held = core.shelf.get(moduleKey(address));
  // A module that still waits for its first approval has no file.
  if (held === undefined || held.source === undefined) return;
  await setTimeout(DELETION_DELAY_MS);
  const again = await core.files.read(address, 'code');
  if (again.state === 'absent') return removeDeletedModule(core, address);
  if (again.state === 'text') return applyChangedCode(core, address, again.text);
}

async function applyCodeEdit(core: LifecycleDeps, address: ModuleAddress, found: FileText): Promise<void> {
  if (found.state === 'unreadable') throw unreadableFileError(found.why);
  if (found.state === 'absent') return applyDeletedCode(core, address);
  return applyChangedCode(core, address, found.text);
}

async function applyPolicyEdit(core: LifecycleDeps, address: ModuleAddress, found: FileText): Promise<void> {
  if (found.state === 'unreadable') throw unreadableFileError(found.why);
  const policy =
    found.state === 'absent' ? core.policies.empty : await parsePolicyText(core.policies, found.text);
  await applyPolicyFromFile(core, address, policy);
}

/**
 * Brings into force what has become of a file, if anybody but us changed it. Never rejects; gives false where the store
 * was away: the edit is to be applied later.
 */
export function applyFileEdit(core: LifecycleDeps, { address, part, file }: ModuleFile): Promise<boolean> {
  return withModuleLock(core, address, async () => {
    try {
      const found = await core.files.readIfChanged(address, part);
      if (found === undefined) return true;
      await (part === 'code' ? applyCodeEdit : applyPolicyEdit)(core, address, found);
      core.log.info({ file }, found.state === 'absent' ? 'a file was removed' : 'a file was edited');
    } catch (error) {
      if (isStoreUnavailable(error)) {
        core.files.invalidate(address, part);
        return false;
      }
      logRejectedFile(core, file, error);
    }
    return true;
  });
}
