// Review: which changes wait for a second admin, and how that one lets them into force.
import { AppError } from '../../errors.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import type { Core } from './core.ts';
import { installApproved } from './install.ts';
import type { Policy } from './policy.ts';
import { grantsPower } from './policy-schema.ts';

/** What waits: nothing, the code of modules that hold grants beyond request and response, or everything. */
export type ReviewMode = 'none' | 'grants' | 'all';

/** Must code, or a policy, that is about to hold together with this policy wait for another admin? */
export function mustWait(mode: ReviewMode, policy: Policy): boolean {
  if (mode === 'none') return false;
  return mode === 'all' || grantsPower(policy.given ?? {});
}

/** Throws NOT_FOUND for an unknown version, BAD_REQUEST for one that waits for nobody, or not for this admin. */
export async function approveVersion(
  core: Core,
  address: ModuleAddress,
  { version, by }: { readonly version: number; readonly by: string },
): Promise<void> {
  const key = keyOf(address);
  const facts = await core.records.version(key, version);
  const source = await core.records.source(key, version);
  if (facts === undefined || source === undefined) throw new AppError('NOT_FOUND');
  if (!core.shelf.state(key).pending.includes(version)) {
    throw new AppError('BAD_REQUEST', { message: 'This version does not wait for approval' });
  }
  if (facts.clientId === by) {
    throw new AppError('BAD_REQUEST', {
      message: 'Another admin than the one who posted it has to approve it',
    });
  }
  const approved = { ...facts, approvedBy: by, approvedAt: core.now() };
  await installApproved(core, address, { facts: approved, source });
}
