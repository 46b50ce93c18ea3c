// Posting code, and going back to older code: looked at, then in force, or kept until a reviewer approves it.
import { AppError } from '../../errors.ts';
import { assertModuleAddress, moduleKey } from '../model/address.ts';
import type { ModuleAddress, PostResult } from '../model/types.ts';
import { assertNameAvailable } from '../routes/route-conflicts.ts';
import type { ValidatedCode } from './code-validation.ts';
import { type LifecycleDeps, withModuleLock } from './lifecycle-deps.ts';
import { loadPolicyFor, policyHash } from './policy-file.ts';
import { assertModulePaths, type NewCode, publishVersion, savePendingVersion } from './publish.ts';
import { type ReviewMode, requiresReview } from './review.ts';

interface CodeChange {
  readonly address: ModuleAddress;
  readonly by: string | null;
  readonly review: ReviewMode;
}

interface PostCodeRequest extends CodeChange {
  readonly source: string;
  /** False refuses an existing module, true demands one, undefined does either. */
  readonly replace: boolean | undefined;
}

interface RollbackRequest extends CodeChange {
  readonly version: number;
}

function assertReplaceAllowed({ shelf }: LifecycleDeps, { address, replace }: PostCodeRequest): void {
  const exists = shelf.get(moduleKey(address)) !== undefined;
  if (replace === true && !exists) throw new AppError('NOT_FOUND');
  if (replace !== false || !exists) return;
  throw new AppError('NAME_TAKEN', {
    message: `${address.kind === 'hook' ? 'Hook' : 'Endpoint'} already exists`,
  });
}

// Some file systems cannot tell such names apart: one would overwrite the other.
// And what is suspended must not run on under such a name, also when it was removed.
function assertDistinctName({ registry, shelf }: LifecycleDeps, address: ModuleAddress): void {
  const key = moduleKey(address);
  const suspended = [...shelf.allStates()].filter(({ suspendedBy }) => suspendedBy !== null);
  const other = registry
    .list()
    .map((live) => moduleKey(live.address))
    .concat(suspended.map((state) => state.key))
    .find((known) => known !== key && known.toLowerCase() === key.toLowerCase());
  if (other === undefined) return;
  throw new AppError('NAME_TAKEN', { field: 'name', message: `differs only by case from \`${other}\`` });
}

async function publishOrSavePending(
  core: LifecycleDeps,
  code: NewCode,
  { waits }: { readonly waits: boolean },
): Promise<Pick<PostResult, 'created' | 'version' | 'pending'>> {
  const created = core.shelf.get(moduleKey(code.address)) === undefined;
  const { version } = waits
    ? await savePendingVersion(core, code, undefined)
    : await publishVersion(core, code);
  return { created, version, pending: waits };
}

const resultOf = ({ warnings, suggestedIsolation }: ValidatedCode) => ({ warnings, suggestedIsolation });

/** Throws PAYLOAD_TOO_LARGE, ENDPOINT_INVALID, NAME_TAKEN, NOT_FOUND, WORKSPACE_UNAVAILABLE, or what the sandbox throws. */
export async function postCode(core: LifecycleDeps, posting: PostCodeRequest): Promise<PostResult> {
  const { address, by, review } = posting;
  assertModuleAddress(address);
  const source = core.acceptance.normalizeText(posting.source);
  assertDistinctName(core, address);
  if (address.kind === 'endpoint') assertNameAvailable(address, core.collections);
  return withModuleLock(core, address, async () => {
    assertReplaceAllowed(core, posting);
    const policy = await loadPolicyFor(core, address);
    const { isolation } = policy.resolve(moduleKey(address), false);
    const accepted = await core.acceptance.inspect(source, address.kind, isolation, by);
    const { metadata } = accepted;
    assertModulePaths(core, address, metadata);
    const action = core.shelf.get(moduleKey(address)) === undefined ? 'create' : 'replace';
    const code = { address, source, metadata, by, action };
    const settled = await publishOrSavePending(core, code, { waits: requiresReview(review, policy) });
    return { ...settled, ...resultOf(accepted) };
  });
}

/**
 * Makes a new version of old code, which was looked at then. What a reviewer approved for the policy that holds now need not
 * wait again.
 */
export function rollBackVersion(
  core: LifecycleDeps,
  { address, version, by, review }: RollbackRequest,
): Promise<PostResult> {
  const key = moduleKey(address);
  return withModuleLock(core, address, async () => {
    const facts = await core.records.findVersion(key, version);
    const source = await core.records.findSource(key, version);
    const held = core.shelf.get(key);
    if (facts === undefined || source === undefined || held === undefined) throw new AppError('NOT_FOUND');
    const code = { address, source, metadata: facts.metadata, by, action: 'rollback' };
    const policy = await loadPolicyFor(core, address);
    const isApproved = facts.approvedBy !== null && facts.policySha256 === policyHash(policy);
    const settled = await publishOrSavePending(core, code, {
      waits: !isApproved && requiresReview(review, policy),
    });
    return { ...settled, warnings: [], suggestedIsolation: null };
  });
}
