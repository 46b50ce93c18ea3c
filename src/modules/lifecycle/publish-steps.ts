// The steps that every way of publishing code or a policy shares: which policy is active, the text and hash of its file, path checks,
// the record of a version, activation, and restoring files after a change that could not be stored.

import type { Actor } from '../../auth/audit/actor.ts';
import type { CollectionRegistry } from '../../collections/model/collection.ts';
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import type { Log } from '../../lib/logger.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import type { WritableModuleRegistry } from '../model/module-registry.ts';
import { type ModuleAddress, moduleKey } from '../model/module-types.ts';
import { assertNameAvailable, assertPathsAvailable, parsePathPattern } from '../model/path-patterns.ts';
import type { Policy, PolicyParser } from '../policy/policy.ts';
import type { CodeMetadata } from '../versions/code-validation.ts';
import type { ModuleRecords, VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry, ModuleLocks, ModuleStates } from '../versions/module-states.ts';
import { withActiveVersion } from '../versions/state-transitions.ts';
import type { ModuleFiles } from './module-files.ts';

export interface PolicyFileDeps {
  readonly files: Pick<ModuleFiles, 'read'>;
  readonly policies: PolicyParser;
}

export interface CurrentPolicyDeps extends PolicyFileDeps {
  readonly states: Pick<ModuleStates, 'get'>;
}

/** The text that is written to a policy file. */
export function formatPolicy(policy: JsonObject): string {
  return `${JSON.stringify(policy, null, 2)}\n`;
}

/** Rejects with POLICY_INVALID, also for text that is not JSON. */
export async function parsePolicyText(policies: PolicyParser, text: string): Promise<Policy> {
  const parsed = parseJsonText(text);
  if ('error' in parsed) {
    throw new AppError('POLICY_INVALID', { message: `The file ${describeSyntaxError(parsed.error)}` });
  }
  return { ...(await policies.parse(parsed.value)), text };
}

/** The text of the file that holds a policy; undefined where a policy needs no file. */
function policyFileText({ input, text }: Policy): string | undefined {
  return text ?? (input === undefined ? undefined : formatPolicy(input));
}

/** SHA-256 of that file; null where there is none. */
export function policyHash(policy: Policy): string | null {
  const text = policyFileText(policy);
  return text === undefined ? null : sha256Hex(text);
}

/** Reads the policy file of a module. Rejects with POLICY_INVALID, and with WORKSPACE_UNAVAILABLE where it may be readable in a moment. */
export async function readPolicyFile(
  { files, policies }: PolicyFileDeps,
  address: ModuleAddress,
): Promise<Policy> {
  const file = await files.read(address, 'policy');
  if (file.state === 'absent') return policies.empty;
  if (file.state === 'text') return parsePolicyText(policies, file.text);
  if (file.isBusy === true)
    throw new AppError('WORKSPACE_UNAVAILABLE', { message: 'The workspace cannot be read at the moment' });
  throw new AppError('POLICY_INVALID', { message: `The file cannot be read: ${file.why}` });
}

/** The active policy. A module without valid one, or without code, has what its file says: operators may lay it ready. */
export async function loadCurrentPolicy(deps: CurrentPolicyDeps, address: ModuleAddress): Promise<Policy> {
  const entry = deps.states.get(moduleKey(address));
  if (entry !== undefined && entry.fileErrors.policy === undefined) return entry.policy;
  return readPolicyFile(deps, address);
}

export interface PublishDeps extends CurrentPolicyDeps {
  readonly states: ModuleStates;
  readonly records: ModuleRecords;
  readonly files: ModuleFiles;
  readonly registry: Pick<WritableModuleRegistry, 'list' | 'endpointPaths'>;
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
  readonly actor: Actor | null;
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
  const pattern = route === null ? undefined : parsePathPattern(route, address.apiVersion);
  assertNameAvailable(address, collections);
  assertPathsAvailable({ address, pattern }, registry.endpointPaths(), collections);
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
    clientId: code.actor?.clientId ?? null,
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
