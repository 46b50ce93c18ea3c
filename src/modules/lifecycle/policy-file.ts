// Policies as the files that lie beside the code.
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { moduleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { Policy, PolicyParser } from '../policy/policy.ts';
import type { LifecycleDeps } from './lifecycle-deps.ts';

/** What a policy file holds. */
export function formatPolicy(policy: JsonObject): string {
  return `${JSON.stringify(policy, null, 2)}\n`;
}

/** Rejects with POLICY_INVALID, also for text that is no JSON. */
export async function parsePolicyText(policies: PolicyParser, text: string): Promise<Policy> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('POLICY_INVALID', { message: 'The file is not valid JSON', cause });
  }
  return { ...(await policies.parse(value)), text };
}

/** The text of the file that a policy is in; undefined where it needs none. */
export function policyFileText({ input: given, text }: Policy): string | undefined {
  return text ?? (given === undefined ? undefined : formatPolicy(given));
}

/** SHA-256 of that file; null where there is none. */
export function policyHash(policy: Policy): string | null {
  const text = policyFileText(policy);
  return text === undefined ? null : sha256Hex(text);
}

/** The policy that is in the file of a module. Rejects with POLICY_INVALID. */
export async function readPolicyFile(
  { files, policies }: Pick<LifecycleDeps, 'files' | 'policies'>,
  address: ModuleAddress,
): Promise<Policy> {
  const found = await files.read(address, 'policy');
  if (found.state === 'absent') return policies.empty;
  if (found.state === 'text') return parsePolicyText(policies, found.text);
  throw new AppError('POLICY_INVALID', { message: `The file cannot be read: ${found.why}` });
}

/** The policy in force; that of a module which is not there yet may have been laid ready by the operator. */
export async function loadPolicyFor(core: LifecycleDeps, address: ModuleAddress): Promise<Policy> {
  const held = core.shelf.get(moduleKey(address));
  if (held !== undefined && held.faults.policy === undefined) return held.policy;
  return readPolicyFile(core, address);
}
