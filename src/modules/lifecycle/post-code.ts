// Posting code, told from top to bottom: the code is validated and stored as the next version, its file is written, and the version
// is activated; what fails in between is undone. Code that needs a review is kept as a pending version instead. Rolling back
// publishes the code of an older version in the same way.
import type { Actor } from '../../auth/audit/actor.ts';
import { AppError } from '../../errors/errors.ts';
import {
  assertModuleAddress,
  type ModuleAddress,
  moduleAuditEntry,
  moduleKey,
  type PostResult,
  type StateCheck,
} from '../model/module-types.ts';
import { assertNameAvailable } from '../model/path-patterns.ts';
import type { CodeValidator } from '../versions/code-validation.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import { withActiveVersion, withVersion } from '../versions/state-transitions.ts';
import {
  activateVersion,
  assertModulePaths,
  createVersionRecord,
  loadCurrentPolicy,
  type NewCode,
  type PublishDeps,
  policyHash,
  restoreFiles,
} from './publish-steps.ts';
import { assertNotRefused, type ReviewMode, requiresReview, savePendingVersion } from './review.ts';

export interface PostCodeDeps extends PublishDeps {
  readonly validator: CodeValidator;
  readonly review: ReviewMode;
}

interface PostCodeRequest {
  readonly address: ModuleAddress;
  readonly source: string;
  readonly actor: Actor;
  /** True: the module must exist; false: it must not; undefined: either. */
  readonly replace?: boolean | undefined;
  /** Given the source in force. */
  readonly check?: StateCheck<string> | undefined;
}

/**
 * Posts code: checks what it replaces, its text, its name and its paths, inspects it in a host, and publishes it or keeps it for a reviewer. Throws
 * PAYLOAD_TOO_LARGE, ENDPOINT_INVALID, NAME_TAKEN, NOT_FOUND, WORKSPACE_UNAVAILABLE, or what the sandbox throws.
 */
export async function postCode(deps: PostCodeDeps, request: PostCodeRequest): Promise<PostResult> {
  const { states, validator, locks, review } = deps;
  const { address, actor } = request;
  const key = moduleKey(address);
  assertModuleAddress(address);
  const source = validator.normalizeText(request.source);
  return locks.withModule(address, async () => {
    assertDistinctName(deps, address);
    if (address.kind === 'endpoint') assertNameAvailable(address, deps.collections);
    const entry = states.get(key);
    const isNew = entry === undefined;
    assertReplaceAllowed(request, isNew);
    request.check?.(entry?.source);
    // Validate: the text was read above, now the code is evaluated once.
    const policy = await loadCurrentPolicy(deps, address);
    const { isolation } = policy.resolve(key, false);
    const validated = await validator.inspect(source, address.kind, isolation, actor.clientId);
    const { metadata, warnings, suggestedIsolation } = validated;
    assertModulePaths(deps, address, metadata);
    const code = { address, source, metadata, actor, action: isNew ? 'create' : 'replace' };
    const pending = requiresReview(review, policy);
    const { version } = pending ? await savePendingVersion(deps, code) : await publishVersion(deps, code);
    return { created: isNew, version, pending, warnings, suggestedIsolation };
  });
}

/**
 * Stores the version with its audit entry in one commit, then writes the file, stores the state, and activates the version.
 * After a crash between these steps the next start completes them, or the version was never active.
 */
function publishVersion(deps: PublishDeps, code: NewCode): Promise<VersionRecord> {
  const { states, records, files, locks } = deps;
  const { address, source, action, actor } = code;
  const key = moduleKey(address);
  return locks.withPaths(async () => {
    assertModulePaths(deps, address, code.metadata);
    const policy = await loadCurrentPolicy(deps, address);
    const record = await createVersionRecord(deps, code, { policy: null, under: policy });
    const before = states.getState(key).active?.sha256 ?? null;
    const auditEntry = moduleAuditEntry({ address, action, actor, before, after: record.sha256 });
    // Store the version.
    const stored = withVersion(states.getState(key), record.version);
    await records.addVersion(stored, { record, source }, auditEntry, async () => {
      states.setState(withVersion(states.getState(key), record.version));
      try {
        // Publish it: the next start activates the newest version that it finds in the file.
        await files.write(address, 'code', source);
        await records.saveState(withActiveVersion(states.getState(key), record));
      } catch (error) {
        // Roll back the file. The version stays stored, and was never active.
        await restoreFiles(deps, address, { withPolicy: false });
        throw error;
      }
      // Activate it, for every call from now on.
      activateVersion(deps, address, record, { source, policy, fileErrors: {} });
    });
    return record;
  });
}

interface RollBackRequest {
  readonly address: ModuleAddress;
  readonly version: number;
  readonly actor: Actor;
}

/**
 * Publishes the code of an old version, validated when it was posted, as a new version. It need not be reviewed again where
 * a reviewer approved it under the policy that is active now. Throws NOT_FOUND, VERSION_REFUSED, and like `postCode`.
 */
export function rollBackVersion(
  deps: Omit<PostCodeDeps, 'validator'>,
  request: RollBackRequest,
): Promise<PostResult> {
  const { states, records, locks, review } = deps;
  const { address, version: from, actor } = request;
  const key = moduleKey(address);
  return locks.withModule(address, async () => {
    const record = await records.findVersion(key, from);
    const source = await records.findSource(key, from);
    if (record === undefined || source === undefined || states.get(key) === undefined) {
      throw new AppError('NOT_FOUND');
    }
    assertNotRefused(record);
    const code = { address, source, metadata: record.metadata, actor, action: 'rollback' };
    const policy = await loadCurrentPolicy(deps, address);
    const isApproved = record.approvedBy !== null && record.policySha256 === policyHash(policy);
    const pending = !isApproved && requiresReview(review, policy);
    const { version } = pending ? await savePendingVersion(deps, code) : await publishVersion(deps, code);
    return { created: false, version, pending, warnings: [], suggestedIsolation: null };
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
// modules count while they are suspended: such code must not run again under another spelling. Call it under the lock of the
// module, which such names share: of two that are posted at once, the second one must see the first.
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
