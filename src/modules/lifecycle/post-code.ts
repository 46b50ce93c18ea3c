// Posting code: validates it, finds its policy, and publishes the new version, or saves it as pending until a reviewer approves it.
import { AppError } from '../../errors/errors.ts';
import { assertModuleAddress, moduleKey } from '../model/module-address.ts';
import type { ModuleAddress, PostResult } from '../model/module-types.ts';
import { assertNameAvailable } from '../routes/route-conflicts.ts';
import type { CodeValidator } from './code-validation.ts';
import { loadCurrentPolicy } from './policy-file.ts';
import { assertModulePaths, type PublishDeps, publishVersion } from './publish-version.ts';
import { type ReviewMode, requiresReview, savePendingVersion } from './review.ts';

export interface PostCodeDeps extends PublishDeps {
  readonly validator: CodeValidator;
  readonly review: ReviewMode;
}

interface PostCodeRequest {
  readonly address: ModuleAddress;
  readonly source: string;
  readonly by: string | null;
  /** False rejects an existing module, true demands one, undefined does either. */
  readonly replace: boolean | undefined;
}

/** Throws PAYLOAD_TOO_LARGE, ENDPOINT_INVALID, NAME_TAKEN, NOT_FOUND, WORKSPACE_UNAVAILABLE, or what the sandbox throws. */
export async function postCode(deps: PostCodeDeps, request: PostCodeRequest): Promise<PostResult> {
  const { states, validator, locks, review } = deps;
  const { address, by } = request;
  const key = moduleKey(address);
  assertModuleAddress(address);
  const source = validator.normalizeText(request.source);
  assertDistinctName(deps, address);
  if (address.kind === 'endpoint') assertNameAvailable(address, deps.collections);
  return locks.withModule(address, async () => {
    const isNew = states.get(key) === undefined;
    assertReplaceAllowed(request, isNew);
    const policy = await loadCurrentPolicy(deps, address);
    const { isolation } = policy.resolve(key, false);
    const validated = await validator.inspect(source, address.kind, isolation, by);
    const { metadata, warnings, suggestedIsolation } = validated;
    assertModulePaths(deps, address, metadata);
    const code = { address, source, metadata, by, action: isNew ? 'create' : 'replace' };
    const pending = requiresReview(review, policy);
    const { version } = pending ? await savePendingVersion(deps, code) : await publishVersion(deps, code);
    return { created: isNew, version, pending, warnings, suggestedIsolation };
  });
}

function assertReplaceAllowed({ address, replace }: PostCodeRequest, isNew: boolean): void {
  if (replace === true && isNew) throw new AppError('NOT_FOUND');
  if (replace !== false || isNew) return;
  throw new AppError('NAME_TAKEN', {
    message: `${address.kind === 'hook' ? 'Hook' : 'Endpoint'} already exists`,
  });
}

// Some file systems cannot tell names apart that differ only by case: one file would overwrite the other. Names of removed
// modules count while they are suspended: such code must not run again under another spelling.
function assertDistinctName(
  { registry, states }: Pick<PostCodeDeps, 'registry' | 'states'>,
  address: ModuleAddress,
): void {
  const key = moduleKey(address);
  const suspended = [...states.allStates()].filter(({ suspendedBy }) => suspendedBy !== null);
  const other = registry
    .list()
    .map((live) => moduleKey(live.address))
    .concat(suspended.map((state) => state.key))
    .find((known) => known !== key && known.toLowerCase() === key.toLowerCase());
  if (other === undefined) return;
  throw new AppError('NAME_TAKEN', { field: 'name', message: `differs only by case from \`${other}\`` });
}
