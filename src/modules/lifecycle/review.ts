// Review: which changes wait for a reviewer, and how that one, who wrote no part of them, lets them into force.
import { AppError } from '../../errors.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { Policy } from '../policy/policy.ts';
import { isPrivilegedPolicy } from '../policy/policy-schema.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';
import { publishApproved } from './publish.ts';

/** What waits: nothing, the code of modules that hold grants beyond request and response, or everything. */
export type ReviewMode = 'none' | 'grants' | 'all';

/** Must code, or a policy, that is about to hold together with this policy wait for a reviewer? */
export function requiresReview(mode: ReviewMode, policy: Policy): boolean {
  if (mode === 'none') return false;
  return mode === 'all' || isPrivilegedPolicy(policy.input ?? {});
}

/** Everybody who posted this text under any name, or who put it or this policy into any version of the module. */
async function findAuthors(
  { records, shelf }: LifecycleDeps,
  key: string,
  facts: VersionRecord,
): Promise<Set<string>> {
  const { sha256, policySha256 } = facts;
  const isPart = (one: VersionRecord) =>
    one.sha256 === sha256 || (one.policy !== null && one.policySha256 === policySha256);
  const parts = (await records.listVersions(key)).filter(isPart).map(({ clientId }) => clientId);
  const inForce = facts.policy === null ? shelf.getState(key).policyBy : null;
  const posters = await records.findPosters(sha256);
  return new Set([...parts, ...posters, inForce].filter((author) => author !== null));
}

/**
 * `by` has the right to approve. Throws NOT_FOUND for an unknown version, BAD_REQUEST for one that waits for nobody,
 * APPROVAL_REFUSED for whoever wrote its code or its policy, VERSION_OUTDATED.
 */
export async function approveVersion(
  core: LifecycleDeps,
  address: ModuleAddress,
  { version, by }: { readonly version: number; readonly by: string },
): Promise<void> {
  const key = moduleKey(address);
  const facts = await core.records.findVersion(key, version);
  const source = await core.records.findSource(key, version);
  if (facts === undefined || source === undefined) throw new AppError('NOT_FOUND');
  if (!core.shelf.getState(key).pending.includes(version)) {
    throw new AppError('BAD_REQUEST', { message: 'This version does not wait for approval' });
  }
  if ((await findAuthors(core, key, facts)).has(by)) {
    throw new AppError('APPROVAL_REFUSED', {
      message: 'A reviewer who wrote neither its code nor its policy has to approve it',
    });
  }
  const approved = { ...facts, approvedBy: by, approvedAt: core.now() };
  await publishApproved(core, address, { facts: approved, source });
}
