// Publishing a version of code, and the steps that every way of doing so shares: path checks, the record of a version, activation,
// and restoring files after a change that could not be stored.
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { Log } from '../../lib/logger.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { moduleAuditEntry, moduleKey } from '../model/module-address.ts';
import type { ModuleAddress } from '../model/module-types.ts';
import type { Policy } from '../policy/policy.ts';
import type { WritableModuleRegistry } from '../routes/module-registry.ts';
import { assertNameAvailable, assertRouteAvailable } from '../routes/route-conflicts.ts';
import { parseRoute } from '../routes/route-pattern.ts';
import type { CodeMetadata } from '../versions/code-metadata.ts';
import type { ModuleRecords, VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry, ModuleLocks, ModuleStates } from '../versions/module-states.ts';
import { withActiveVersion, withVersion } from '../versions/state-transitions.ts';
import type { ModuleFiles } from './module-files.ts';
import { type CurrentPolicyDeps, loadCurrentPolicy, policyFileText, policyHash } from './policy-file.ts';

export interface PublishDeps extends CurrentPolicyDeps {
  readonly states: ModuleStates;
  readonly records: ModuleRecords;
  readonly files: ModuleFiles;
  readonly registry: Pick<WritableModuleRegistry, 'list' | 'routedEndpoints'>;
  readonly collections: Pick<CollectionRegistry, 'list'>;
  readonly locks: ModuleLocks;
  readonly log: Pick<Log, 'error'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Code that was validated, about to become a version. */
export interface NewCode {
  readonly address: ModuleAddress;
  readonly source: string;
  readonly metadata: CodeMetadata;
  /** Null: a file laid by hand. */
  readonly by: string | null;
  /** For the audit log: `create`, `replace`, `rollback`, … */
  readonly action: string;
}

/** Throws NAME_TAKEN or ENDPOINT_INVALID where a path of the module already belongs to something else. */
export function assertModulePaths(
  { registry, collections }: Pick<PublishDeps, 'registry' | 'collections'>,
  address: ModuleAddress,
  { route }: CodeMetadata,
): void {
  if (address.kind === 'hook') return;
  const parsed = route === null ? undefined : parseRoute(route, address.apiVersion);
  assertNameAvailable(address, collections);
  assertRouteAvailable({ address, route: parsed }, registry.routedEndpoints(), collections);
}

/** The record of the next version. `policy`: one that becomes active with it. `under`: the one it will run under. */
export async function createVersionRecord(
  { states, records, now }: Pick<PublishDeps, 'states' | 'records' | 'now'>,
  code: NewCode,
  { policy, under }: { readonly policy: JsonObject | null; readonly under: Policy },
): Promise<VersionRecord> {
  const key = moduleKey(code.address);
  // A version that was reported as failed may have been stored all the same: its number is not used again.
  const last = Math.max(states.getState(key).last, await records.lastVersion(key));
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

/** Makes a version active in this process, for every call from now on. */
export function activateVersion(
  { states }: Pick<PublishDeps, 'states'>,
  address: ModuleAddress,
  record: VersionRecord,
  contents: Pick<ModuleEntry, 'source' | 'policy' | 'fileErrors'>,
): void {
  // Derived from the current state: a suspension may have come in while the database wrote.
  const state = withActiveVersion(states.getState(moduleKey(address)), record);
  states.put({ address, state, ...contents });
}

/**
 * Writes the active texts back to the files of a module whose change could not be stored. Failures are logged; the next start
 * repairs them.
 */
export async function restoreFiles(
  { files, states, log }: Pick<PublishDeps, 'files' | 'states' | 'log'>,
  address: ModuleAddress,
  { withPolicy }: { readonly withPolicy: boolean },
): Promise<void> {
  const entry = states.get(moduleKey(address));
  const texts = {
    code: entry?.source,
    policy: entry === undefined ? undefined : policyFileText(entry.policy),
  };
  for (const part of withPolicy ? (['policy', 'code'] as const) : (['code'] as const)) {
    const text = texts[part];
    const restored = text === undefined ? files.remove(address, part) : files.write(address, part, text);
    await restored.catch((error) =>
      log.error({ err: error, file: files.fileOf(address, part) }, 'could not restore file'),
    );
  }
}

/**
 * Stores the version with its audit entry in one commit, then writes the file, stores the state, and activates the version.
 * After a crash between these steps the next start completes them, or the version was never active.
 */
export function publishVersion(deps: PublishDeps, code: NewCode): Promise<VersionRecord> {
  const { states, records, files, locks } = deps;
  const { address, source, action, by } = code;
  const key = moduleKey(address);
  return locks.withPaths(async () => {
    assertModulePaths(deps, address, code.metadata);
    const policy = await loadCurrentPolicy(deps, address);
    const record = await createVersionRecord(deps, code, { policy: null, under: policy });
    const before = states.getState(key).active?.sha256 ?? null;
    const auditEntry = moduleAuditEntry({ address, action, clientId: by, before, after: record.sha256 });
    const stored = withVersion(states.getState(key), record.version);
    await records.addVersion(stored, { record, source }, auditEntry, async () => {
      states.setState(withVersion(states.getState(key), record.version));
      try {
        await files.write(address, 'code', source);
        await records.saveState(withActiveVersion(states.getState(key), record));
      } catch (error) {
        await restoreFiles(deps, address, { withPolicy: false });
        throw error;
      }
      activateVersion(deps, address, record, { source, policy, fileErrors: {} });
    });
    return record;
  });
}
