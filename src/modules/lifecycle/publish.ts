// Brings code into force: version record with its entry in the audit log, then file, then state, then the live module. A
// crash between them leaves what the next start completes, or a version that was never in force.
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { Policy } from '../policy/policy.ts';
import { assertNameAvailable, assertRouteAvailable } from '../routes/route-conflicts.ts';
import { parseRoute } from '../routes/route-pattern.ts';
import type { CodeMetadata } from '../versions/code-metadata.ts';
import type { VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { withActiveVersion, withPendingVersion, withVersion } from '../versions/state-transitions.ts';
import { type LifecycleDeps, moduleAuditEntry } from './lifecycle-deps.ts';
import { formatPolicy, loadPolicyFor, policyFileText, policyHash } from './policy-file.ts';

export interface NewCode {
  readonly address: ModuleAddress;
  readonly source: string;
  readonly metadata: CodeMetadata;
  /** Null: a file laid by hand. */
  readonly by: string | null;
  /** For the audit log: `create`, `replace`, `rollback`, … */
  readonly action: string;
}

type ModuleContents = Pick<ModuleEntry, 'source' | 'policy' | 'faults'>;

/** Throws NAME_TAKEN or ENDPOINT_INVALID where the module would take a path that means something else. */
export function assertModulePaths(
  { registry, collections }: Pick<LifecycleDeps, 'registry' | 'collections'>,
  address: ModuleAddress,
  { route }: CodeMetadata,
): void {
  if (address.kind === 'hook') return;
  const parsed = route === null ? undefined : parseRoute(route, address.apiVersion);
  assertNameAvailable(address, collections);
  assertRouteAvailable({ address, route: parsed }, registry.routedEndpoints(), collections);
}

async function createVersionRecord(
  { shelf, records, now }: LifecycleDeps,
  code: NewCode,
  { policy, under }: { readonly policy: JsonObject | null; readonly under: Policy },
): Promise<VersionRecord> {
  const key = moduleKey(code.address);
  // A version that was reported as failed may have been stored all the same: nobody gets its number.
  const last = Math.max(shelf.getState(key).last, await records.lastVersion(key));
  return {
    version: last + 1,
    sha256: sha256Hex(code.source),
    clientId: code.by,
    createdAt: now(),
    metadata: code.metadata,
    approvedBy: null,
    approvedAt: null,
    policy,
    policySha256: policyHash(under),
  };
}

function activate(
  { shelf }: LifecycleDeps,
  address: ModuleAddress,
  facts: VersionRecord,
  contents: ModuleContents,
): void {
  // Computed anew from what holds now: a suspension may have come in while the database wrote.
  shelf.put({ address, state: withActiveVersion(shelf.getState(moduleKey(address)), facts), ...contents });
}

/** Gives a module the files of what is in force, because their change could not be stored. What fails here is completed by the next start. */
export async function restoreFiles(
  { files, shelf, log }: LifecycleDeps,
  address: ModuleAddress,
  withPolicy: boolean,
): Promise<void> {
  const held = shelf.get(moduleKey(address));
  const texts = {
    code: held?.source,
    policy: held === undefined ? undefined : policyFileText(held.policy),
  };
  for (const part of withPolicy ? (['policy', 'code'] as const) : (['code'] as const)) {
    const text = texts[part];
    const undo = text === undefined ? files.remove(address, part) : files.write(address, part, text);
    await undo.catch((error) =>
      log.error({ err: error, file: files.fileOf(address, part) }, 'a file stays changed'),
    );
  }
}

/** Puts code into force. Throws NAME_TAKEN, ENDPOINT_INVALID, WORKSPACE_UNAVAILABLE; then the old code stays. */
export function publishVersion(core: LifecycleDeps, code: NewCode): Promise<VersionRecord> {
  const { address, source, action, by } = code;
  const { shelf, records, files } = core;
  const key = moduleKey(address);
  return core.queue.run('', async () => {
    assertModulePaths(core, address, code.metadata);
    const contents = { source, policy: await loadPolicyFor(core, address), faults: {} };
    const facts = await createVersionRecord(core, code, { policy: null, under: contents.policy });
    const before = shelf.getState(key).active?.sha256 ?? null;
    const entry = moduleAuditEntry({ address, action, clientId: by, before, after: facts.sha256 });
    await records.addVersion(
      withVersion(shelf.getState(key), facts.version),
      { facts, source },
      entry,
      async () => {
        shelf.setState(withVersion(shelf.getState(key), facts.version));
        try {
          await files.write(address, 'code', source);
          await records.saveState(withActiveVersion(shelf.getState(key), facts));
        } catch (error) {
          await restoreFiles(core, address, false);
          throw error;
        }
        activate(core, address, facts, contents);
      },
    );
    return facts;
  });
}

/** The same for a file that somebody laid there by hand. A policy that is not valid goes on to stop the module. */
export function publishFromFile(core: LifecycleDeps, code: Omit<NewCode, 'by'>): Promise<VersionRecord> {
  const { address, source, action } = code;
  const { shelf, records } = core;
  const key = moduleKey(address);
  return core.queue.run('', async () => {
    assertModulePaths(core, address, code.metadata);
    const { policy = await loadPolicyFor(core, address), faults = {} } = shelf.get(key) ?? {};
    const { code: _, ...otherFaults } = faults;
    const facts = await createVersionRecord(core, { ...code, by: null }, { policy: null, under: policy });
    const before = shelf.getState(key).active?.sha256 ?? null;
    const entry = moduleAuditEntry({ address, action, clientId: null, before, after: facts.sha256 });
    await records.addVersion(withActiveVersion(shelf.getState(key), facts), { facts, source }, entry);
    activate(core, address, facts, { source, policy, faults: otherFaults });
    return facts;
  });
}

/** For the audit log: the policy that holds, and the one that comes with the code, or stays. */
function policyHashes({ shelf }: LifecycleDeps, address: ModuleAddress, next: Policy | undefined) {
  const held = shelf.get(moduleKey(address));
  const before = held === undefined || held.faults.policy !== undefined ? null : policyHash(held.policy);
  return { before, after: next === undefined ? before : policyHash(next) };
}

/** Keeps code, perhaps together with a policy, until a reviewer approves it. What is in force stays. */
export function savePendingVersion(
  core: LifecycleDeps,
  code: NewCode,
  policy: Policy | undefined,
): Promise<VersionRecord> {
  const { address, source, by } = code;
  const { shelf, records, policies } = core;
  const key = moduleKey(address);
  return core.queue.run('', async () => {
    assertModulePaths(core, address, code.metadata);
    const under = policy ?? (await loadPolicyFor(core, address));
    const facts = await createVersionRecord(core, code, { policy: policy?.input ?? null, under });
    const before = shelf.getState(key).active?.sha256 ?? null;
    const hashes = { before, after: facts.sha256, policy: policyHashes(core, address, policy) };
    const entry = moduleAuditEntry({ address, action: 'propose', clientId: by, ...hashes });
    await records.addVersion(
      withPendingVersion(shelf.getState(key), facts.version),
      { facts, source },
      entry,
    );
    const state = withPendingVersion(shelf.getState(key), facts.version);
    const blank = { address, policy: policies.empty, source: undefined, faults: {} };
    shelf.put({ ...(shelf.get(key) ?? blank), state });
    return facts;
  });
}

/**
 * Lets a version that was held back into force, with its policy if it has one. Throws like `install`, POLICY_INVALID, and
 * VERSION_OUTDATED where it would run under another policy than the one with which it was read.
 */
export function publishApproved(
  core: LifecycleDeps,
  address: ModuleAddress,
  { facts, source }: { readonly facts: VersionRecord; readonly source: string },
): Promise<void> {
  const { shelf, records, files, policies } = core;
  const key = moduleKey(address);
  return core.queue.run('', async () => {
    assertModulePaths(core, address, facts.metadata);
    const own = facts.policy === null ? undefined : await policies.parse(facts.policy);
    const policy = own ?? (await loadPolicyFor(core, address));
    if (own === undefined && policyHash(policy) !== facts.policySha256)
      throw new AppError('VERSION_OUTDATED');
    const before = shelf.getState(key).active?.sha256 ?? null;
    const hashes = { before, after: facts.sha256, policy: policyHashes(core, address, policy) };
    const entry = moduleAuditEntry({ address, action: 'approve', clientId: facts.approvedBy, ...hashes });
    await core.audit.announce(entry, async () => {
      try {
        await files.write(address, 'code', source);
        if (own?.input !== undefined) await files.write(address, 'policy', formatPolicy(own.input));
        await records.updateVersion(withActiveVersion(shelf.getState(key), facts), facts);
      } catch (error) {
        await restoreFiles(core, address, own !== undefined);
        throw error;
      }
      activate(core, address, facts, { source, policy, faults: {} });
    });
  });
}
