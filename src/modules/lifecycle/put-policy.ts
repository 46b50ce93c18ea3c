// Reading and putting the policy of a module.
import type { Actor } from '../../auth/audit/actor.ts';
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Log } from '../../lib/logger.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey } from '../model/module-types.ts';
import type { Policy } from '../policy/policy.ts';
import type { ModuleRecords, VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry, ModuleStates } from '../versions/module-states.ts';
import { formatPolicy, policyHash, restoreFiles } from './publish-steps.ts';
import { type ReviewDeps, type ReviewMode, requiresReview, savePendingVersion } from './review.ts';

export interface PutPolicyDeps extends ReviewDeps {
  readonly review: ReviewMode;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/** The policy as it was put, with the `code` block that the server adds: hash, approval and pending versions. */
export function policyWithCodeBlock({ policy, state }: ModuleEntry): JsonObject {
  const { active, pending } = state;
  if (policy.input === undefined && pending.length === 0) return { version: 1 };
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

/** Makes a policy active, or keeps it until a reviewer approves it. Rejects with NOT_FOUND, POLICY_INVALID. */
export async function putPolicy(
  deps: PutPolicyDeps,
  address: ModuleAddress,
  { value, actor }: { readonly value: unknown; readonly actor: Actor },
): Promise<void> {
  const { states, records, files, policies, audit, review, log } = deps;
  const entry = states.getOrThrow(address);
  const { key } = entry.state;
  const policy = await policies.parse(value);
  if (requiresReview(review, policy)) {
    const { source, metadata } = await findReviewedVersion(deps, entry);
    await savePendingVersion(deps, { address, source, metadata, actor, action: 'policy' }, policy);
    return;
  }
  const hashes = { before: policyHash(entry.policy), after: policyHash(policy) };
  const auditEntry = moduleAuditEntry({ address, action: 'policy', actor, ...hashes });
  await audit.recordChange(auditEntry, async () => {
    const state = () => ({ ...states.getState(key), policyBy: actor.clientId });
    try {
      await files.write(address, 'policy', formatPolicy(policy.input ?? {}));
      await records.saveState(state());
    } catch (error) {
      await restoreFiles(deps, address, { withPolicy: true });
      throw error;
    }
    states.setState(state());
    activatePolicy(deps, address, policy);
  });
  log.info({ module: key }, 'policy updated');
}

/** The version whose code a pending policy is for: the active one, or the newest pending one. */
async function findReviewedVersion(
  { records }: { readonly records: Pick<ModuleRecords, 'findVersion' | 'findSource'> },
  { state: { active, pending, key }, fileErrors }: ModuleEntry,
): Promise<VersionRecord & { readonly source: string }> {
  const version = active?.version ?? pending.at(-1) ?? 0;
  const record = await records.findVersion(key, version);
  const source = await records.findSource(key, version);
  if (record !== undefined && source !== undefined) return { ...record, source };
  const isBroken = fileErrors.code !== undefined;
  const what = isBroken ? 'Its code is broken' : 'No version of its code is approved or waits';
  throw new AppError('BAD_REQUEST', { message: `${what}: post code first` });
}

interface PolicyStateDeps {
  readonly states: ModuleStates;
  readonly records: Pick<ModuleRecords, 'saveState'>;
}

/** Makes a policy hold for every call from now on. */
function activatePolicy({ states }: PolicyStateDeps, address: ModuleAddress, policy: Policy): void {
  const entry = states.get(moduleKey(address));
  if (entry === undefined) return;
  const { policy: _, ...fileErrors } = entry.fileErrors;
  states.put({ ...entry, policy, fileErrors });
}

/** Makes the policy of a file active that was edited by hand, and writes the audit entry. */
export async function applyPolicyFromFile(
  deps: PolicyStateDeps,
  address: ModuleAddress,
  policy: Policy,
): Promise<void> {
  const { states, records } = deps;
  const key = moduleKey(address);
  const entry = states.get(key);
  if (entry === undefined) return;
  const hashes = { before: policyHash(entry.policy), after: policyHash(policy) };
  const state = () => ({ ...states.getState(key), policyBy: null });
  await records.saveState(state(), moduleAuditEntry({ address, action: 'policy', actor: null, ...hashes }));
  states.setState(state());
  activatePolicy(deps, address, policy);
}
