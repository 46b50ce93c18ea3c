// Rolling back: the code of an older version becomes the newest one.
import { AppError } from '../../errors/errors.ts';
import { moduleKey } from '../model/module-address.ts';
import type { ModuleAddress, PostResult } from '../model/module-types.ts';
import { loadCurrentPolicy, policyHash } from './policy-file.ts';
import { type PublishDeps, publishVersion } from './publish-version.ts';
import { type ReviewMode, requiresReview, savePendingVersion } from './review.ts';

interface RollBackDeps extends PublishDeps {
  readonly review: ReviewMode;
}

interface RollBackRequest {
  readonly address: ModuleAddress;
  readonly version: number;
  readonly by: string | null;
}

/**
 * Publishes the code of an old version, validated when it was posted, as a new version. It need not be reviewed again where
 * a reviewer approved it under the policy that is active now. Throws NOT_FOUND, and like `postCode`.
 */
export function rollBackVersion(deps: RollBackDeps, request: RollBackRequest): Promise<PostResult> {
  const { states, records, locks, review } = deps;
  const { address, version: from, by } = request;
  const key = moduleKey(address);
  return locks.withModule(address, async () => {
    const record = await records.findVersion(key, from);
    const source = await records.findSource(key, from);
    if (record === undefined || source === undefined || states.get(key) === undefined) {
      throw new AppError('NOT_FOUND');
    }
    const code = { address, source, metadata: record.metadata, by, action: 'rollback' };
    const policy = await loadCurrentPolicy(deps, address);
    const isApproved = record.approvedBy !== null && record.policySha256 === policyHash(policy);
    const pending = !isApproved && requiresReview(review, policy);
    const { version } = pending ? await savePendingVersion(deps, code) : await publishVersion(deps, code);
    return { created: false, version, pending, warnings: [], suggestedIsolation: null };
  });
}
