// Policy files beside the code: how they are written, read and hashed.
import { AppError } from '../../errors/errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { moduleKey } from '../model/module-address.ts';
import type { ModuleAddress } from '../model/module-types.ts';
import type { Policy, PolicyParser } from '../policy/policy.ts';
import type { ModuleStates } from '../versions/module-states.ts';
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
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('POLICY_INVALID', { message: 'The file is not valid JSON', cause });
  }
  return { ...(await policies.parse(value)), text };
}

/** The text of the file that holds a policy; undefined where a policy needs no file. */
export function policyFileText({ input, text }: Policy): string | undefined {
  return text ?? (input === undefined ? undefined : formatPolicy(input));
}

/** SHA-256 of that file; null where there is none. */
export function policyHash(policy: Policy): string | null {
  const text = policyFileText(policy);
  return text === undefined ? null : sha256Hex(text);
}

/** Reads the policy file of a module. Rejects with POLICY_INVALID. */
export async function readPolicyFile(
  { files, policies }: PolicyFileDeps,
  address: ModuleAddress,
): Promise<Policy> {
  const file = await files.read(address, 'policy');
  if (file.state === 'absent') return policies.empty;
  if (file.state === 'text') return parsePolicyText(policies, file.text);
  throw new AppError('POLICY_INVALID', { message: `The file cannot be read: ${file.why}` });
}

/** The active policy. A module without valid one, or without code, has what its file says: operators may lay it ready. */
export async function loadCurrentPolicy(deps: CurrentPolicyDeps, address: ModuleAddress): Promise<Policy> {
  const entry = deps.states.get(moduleKey(address));
  if (entry !== undefined && entry.fileErrors.policy === undefined) return entry.policy;
  return readPolicyFile(deps, address);
}
