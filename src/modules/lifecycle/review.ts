// Review: which changes wait for a reviewer, how they are kept as pending versions, and how a reviewer approves or refuses them.
import type { Actor } from '../../auth/audit/actor.ts';
import type { Audit } from '../../auth/audit/audit.ts';
import { AppError, StoreError } from '../../errors/errors.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey } from '../model/module-types.ts';
import type { Policy } from '../policy/policy.ts';
import { isPrivilegedPolicy } from '../policy/policy-schema.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import { withActiveVersion, withPendingVersion, withRefusedVersion } from '../versions/state-transitions.ts';
import {
  activateVersion,
  assertModulePaths,
  createVersionRecord,
  formatPolicy,
  loadCurrentPolicy,
  type NewCode,
  type PublishDeps,
  policyHash,
  restoreFiles,
} from './publish-steps.ts';

export interface ReviewDeps extends PublishDeps {
  readonly audit: Pick<Audit, 'recordChange'>;
}

/** What waits: nothing, the code of modules that hold grants beyond request and response, or everything. */
export type ReviewMode = 'none' | 'grants' | 'all';

/** Must code or a policy wait for a reviewer before it becomes active together with this policy? */
export function requiresReview(mode: ReviewMode, policy: Policy): boolean {
  if (mode === 'none') return false;
  return mode === 'all' || isPrivilegedPolicy(policy.input ?? {});
}

/** Keeps code, perhaps together with a policy, until a reviewer approves it. The active version stays active. */
export function savePendingVersion(
  deps: PublishDeps,
  code: NewCode,
  policy?: Policy,
): Promise<VersionRecord> {
  const { states, records, policies, locks } = deps;
  const { address, source, actor } = code;
  const key = moduleKey(address);
  return locks.withPaths(async () => {
    assertModulePaths(deps, address, code.metadata);
    const under = policy ?? (await loadCurrentPolicy(deps, address));
    const record = await createVersionRecord(deps, code, { policy: policy?.input ?? null, under });
    const before = states.getState(key).active?.sha256 ?? null;
    const hashes = { before, after: record.sha256, policy: policyHashes(deps, address, policy) };
    const auditEntry = moduleAuditEntry({ address, action: 'propose', actor, ...hashes });
    const stored = withPendingVersion(states.getState(key), record.version);
    await records.addVersion(stored, { record, source }, auditEntry);
    const state = withPendingVersion(states.getState(key), record.version);
    const unpublished = { address, policy: policies.empty, source: undefined, fileErrors: {} };
    states.put({ ...(states.get(key) ?? unpublished), state });
    return record;
  });
}

/** A version on which a reviewer decides. */
export interface Decision {
  readonly version: number;
  readonly actor: Actor;
}

/**
 * Publishes a pending version. The actor has the right to approve. Throws NOT_FOUND for an unknown version, VERSION_REFUSED and
 * VERSION_NOT_PENDING for one that waits no more, APPROVAL_REFUSED for an author of its code or its policy, VERSION_OUTDATED.
 */
export function approveVersion(deps: ReviewDeps, address: ModuleAddress, decision: Decision): Promise<void> {
  return decide(deps, address, decision, async ({ record, source }) => {
    const { actor } = decision;
    const approved = { ...record, approvedBy: actor.clientId, approvedAt: deps.now() };
    await publishApproved(deps, address, { record: approved, source, actor });
  });
}

/**
 * Keeps a pending version from ever becoming active; what is active goes on. The actor has the right to approve. Throws like
 * `approveVersion`, except for VERSION_OUTDATED, which it never throws.
 */
export function rejectVersion(
  deps: ReviewDeps,
  address: ModuleAddress,
  decision: Decision & { readonly reason: string },
): Promise<void> {
  const { states, records, now } = deps;
  const { actor, reason, version } = decision;
  const key = moduleKey(address);
  return decide(deps, address, decision, async ({ record }) => {
    const entry = states.getOrThrow(address);
    const hashes = {
      before: record.sha256,
      after: entry.state.active?.sha256 ?? null,
      policy: { before: record.policySha256, after: policyHash(entry.policy) },
    };
    const auditEntry = moduleAuditEntry({ address, action: 'refuse', actor, ...hashes });
    const refused = { ...record, refused: { by: actor.clientId, at: now(), reason } };
    await records.saveDecision(withRefusedVersion(states.getState(key), version), refused, auditEntry);
    states.setState(withRefusedVersion(states.getState(key), version));
  });
}

interface WaitingVersion {
  readonly record: VersionRecord;
  readonly source: string;
}

/** Runs `task` on a version that waits. Where another process decides on it at the same time, the first one wins. */
async function decide(
  deps: ReviewDeps,
  address: ModuleAddress,
  decision: Decision,
  task: (found: WaitingVersion) => Promise<void>,
): Promise<void> {
  try {
    await task(await findWaitingVersion(deps, address, decision));
  } catch (error) {
    // Where the version was decided meanwhile, looking again says so.
    if (error instanceof StoreError && error.reason === 'conflict') {
      await findWaitingVersion(deps, address, decision);
    }
    throw error;
  }
}

/** Throws NOT_FOUND, VERSION_REFUSED, VERSION_NOT_PENDING, APPROVAL_REFUSED. */
async function findWaitingVersion(
  deps: ReviewDeps,
  address: ModuleAddress,
  { version, actor }: Decision,
): Promise<WaitingVersion> {
  const { states, records } = deps;
  const key = moduleKey(address);
  const record = await records.findVersion(key, version);
  const source = await records.findSource(key, version);
  if (record === undefined || source === undefined) throw new AppError('NOT_FOUND');
  assertNotRefused(record);
  if (record.approvedBy !== null || !states.getState(key).pending.includes(version)) {
    const approved = record.approvedBy === null ? '' : `: ${record.approvedBy} has approved it`;
    const message = `Version ${version} does not wait for approval${approved}`;
    throw new AppError('VERSION_NOT_PENDING', { message });
  }
  if ((await findAuthors(deps, key, record)).has(actor.clientId)) {
    throw new AppError('APPROVAL_REFUSED', {
      message: 'A reviewer who wrote neither its code nor its policy has to decide on it',
    });
  }
  return { record, source };
}

/** Throws VERSION_REFUSED. */
export function assertNotRefused({ version, refused }: VersionRecord): void {
  if (refused === undefined) return;
  const message = `${refused.by} has refused version ${version}: a new version has to be posted`;
  throw new AppError('VERSION_REFUSED', { message });
}

/** Every client that posted this text under any name, or put it or this policy into any version of the module. */
async function findAuthors(
  { records, states }: Pick<ReviewDeps, 'records' | 'states'>,
  key: string,
  { sha256, policy, policySha256 }: VersionRecord,
): Promise<Set<string>> {
  const isPart = (other: VersionRecord) =>
    other.sha256 === sha256 || (other.policy !== null && other.policySha256 === policySha256);
  const parts = (await records.listVersions(key)).filter(isPart).map(({ clientId }) => clientId);
  const policyAuthor = policy === null ? states.getState(key).policyBy : null;
  const posters = await records.findPosters(sha256);
  return new Set([...parts, ...posters, policyAuthor].filter((author) => author !== null));
}

interface Approval {
  /** The version with its approval. */
  readonly record: VersionRecord;
  readonly source: string;
  readonly actor: Actor;
}

/** Throws VERSION_OUTDATED where the version would run under another policy than the one it was reviewed with. */
function publishApproved(
  deps: ReviewDeps,
  address: ModuleAddress,
  { record, source, actor }: Approval,
): Promise<void> {
  const { states, records, files, policies, locks, audit } = deps;
  const key = moduleKey(address);
  return locks.withPaths(async () => {
    assertModulePaths(deps, address, record.metadata);
    const newPolicy = record.policy === null ? undefined : await policies.parse(record.policy);
    const policy = newPolicy ?? (await loadCurrentPolicy(deps, address));
    if (newPolicy === undefined && policyHash(policy) !== record.policySha256) {
      throw new AppError('VERSION_OUTDATED');
    }
    const before = states.getState(key).active?.sha256 ?? null;
    const hashes = { before, after: record.sha256, policy: policyHashes(deps, address, policy) };
    const auditEntry = moduleAuditEntry({ address, action: 'approve', actor, ...hashes });
    await audit.recordChange(auditEntry, async () => {
      try {
        await files.write(address, 'code', source);
        if (newPolicy?.input !== undefined) {
          await files.write(address, 'policy', formatPolicy(newPolicy.input));
        }
        await records.saveDecision(withActiveVersion(states.getState(key), record), record);
      } catch (error) {
        await restoreFiles(deps, address, { withPolicy: newPolicy !== undefined });
        throw error;
      }
      activateVersion(deps, address, record, { source, policy, fileErrors: {} });
    });
  });
}

/** For the audit log: the active policy, and the one that comes with the code, or stays. */
function policyHashes(
  { states }: Pick<PublishDeps, 'states'>,
  address: ModuleAddress,
  next: Policy | undefined,
) {
  const entry = states.get(moduleKey(address));
  const hasPolicy = entry !== undefined && entry.fileErrors.policy === undefined;
  const before = hasPolicy ? policyHash(entry.policy) : null;
  return { before, after: next === undefined ? before : policyHash(next) };
}
