// Reading and putting the policy of a module.
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { Policy } from '../policy/policy.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { type LifecycleDeps, moduleAuditEntry } from './lifecycle-deps.ts';
import { formatPolicy, policyHash } from './policy-file.ts';
import { restoreFiles, savePendingVersion } from './publish.ts';
import { type ReviewMode, requiresReview } from './review.ts';

/** The policy as it was put, with what the server knows of the code it holds for. */
export function policyWithCodeBlock({ policy, state }: ModuleEntry): JsonObject {
  if (policy.input === undefined && state.pending.length === 0) return { version: 1 };
  const { active, pending } = state;
  const code = {
    ...(active === null ? {} : { sha256: active.sha256 }),
    ...(active === null || active.approvedBy === null || active.approvedAt === null
      ? {}
      : {
          approvedBy: `client:${active.approvedBy}`,
          approvedAt: new Date(active.approvedAt).toISOString(),
        }),
    ...(pending.length === 0 ? {} : { pending }),
  };
  return { version: 1, ...policy.input, code };
}

/** The version whose code a policy that has to wait is for: the one in force, or the newest that waits. */
async function findReviewedVersion(
  { records }: LifecycleDeps,
  held: ModuleEntry,
): Promise<VersionRecord & { readonly source: string }> {
  const { active, pending, key } = held.state;
  const version = active?.version ?? pending.at(-1) ?? 0;
  const facts = await records.findVersion(key, version);
  const source = await records.findSource(key, version);
  if (facts !== undefined && source !== undefined) return { ...facts, source };
  throw new AppError('BAD_REQUEST', { message: 'Its code is broken: post code first' });
}

/** Puts a policy into force, or keeps it until a reviewer approves it. Rejects with POLICY_INVALID. */
export async function putPolicy(
  core: LifecycleDeps,
  held: ModuleEntry,
  { value, by, review }: { readonly value: unknown; readonly by: string; readonly review: ReviewMode },
): Promise<void> {
  const { address } = held;
  const key = moduleKey(address);
  const policy = await core.policies.parse(value);
  if (requiresReview(review, policy)) {
    const { source, metadata } = await findReviewedVersion(core, held);
    await savePendingVersion(core, { address, source, metadata, by, action: 'policy' }, policy);
    return;
  }
  const states = { before: policyHash(held.policy), after: policyHash(policy) };
  await core.audit.announce(
    moduleAuditEntry({ address, action: 'policy', clientId: by, ...states }),
    async () => {
      const state = () => ({ ...core.shelf.getState(key), policyBy: by });
      try {
        await core.files.write(address, 'policy', formatPolicy(policy.input ?? {}));
        await core.records.saveState(state());
      } catch (error) {
        await restoreFiles(core, address, true);
        throw error;
      }
      core.shelf.setState(state());
      activatePolicy(core, address, policy);
    },
  );
  core.log.info({ module: key }, 'a policy was put');
}

/** Makes a policy hold for every request that comes from now on. */
function activatePolicy({ shelf }: LifecycleDeps, address: ModuleAddress, policy: Policy): void {
  const held = shelf.get(moduleKey(address));
  if (held === undefined) return;
  const { policy: _, ...faults } = held.faults;
  shelf.put({ ...held, policy, faults });
}

/** The same for a policy file that was edited by hand, with its entry in the audit log. */
export async function applyPolicyFromFile(
  core: LifecycleDeps,
  address: ModuleAddress,
  policy: Policy,
): Promise<void> {
  const held = core.shelf.get(moduleKey(address));
  if (held === undefined) return;
  const states = { before: policyHash(held.policy), after: policyHash(policy) };
  const state = () => ({ ...core.shelf.getState(moduleKey(address)), policyBy: null });
  await core.records.saveState(
    state(),
    moduleAuditEntry({ address, action: 'policy', clientId: null, ...states }),
  );
  core.shelf.setState(state());
  activatePolicy(core, address, policy);
}
