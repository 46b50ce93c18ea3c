// Policies as the files that lie beside the code.
import { AppError } from '../../errors.ts';
import { fingerprint } from '../../lib/fingerprint.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import type { Core } from './core.ts';
import type { Policy, PolicyReader } from './policy.ts';

/** What a policy file holds. */
export function policyText(policy: JsonObject): string {
  return `${JSON.stringify(policy, null, 2)}\n`;
}

/** Rejects with POLICY_INVALID, also for text that is no JSON. */
export async function readPolicyText(policies: PolicyReader, text: string): Promise<Policy> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('POLICY_INVALID', { message: 'The file is not valid JSON', cause });
  }
  return { ...(await policies.read(value)), text };
}

/** The text of the file that a policy is in; undefined where it needs none. */
export function fileTextOf({ given, text }: Policy): string | undefined {
  return text ?? (given === undefined ? undefined : policyText(given));
}

/** SHA-256 of that file; null where there is none. */
export function policyHash(policy: Policy): string | null {
  const text = fileTextOf(policy);
  return text === undefined ? null : fingerprint(text);
}

/** The policy that is in the file of a module. Rejects with POLICY_INVALID. */
export async function readPolicyFile(
  { files, policies }: Pick<Core, 'files' | 'policies'>,
  address: ModuleAddress,
): Promise<Policy> {
  const found = await files.read(address, 'policy');
  if (found.state === 'absent') return policies.none;
  if (found.state === 'text') return readPolicyText(policies, found.text);
  throw new AppError('POLICY_INVALID', { message: `The file cannot be read: ${found.why}` });
}

/** The policy in force; that of a module which is not there yet may have been laid ready by the operator. */
export async function policyFor(core: Core, address: ModuleAddress): Promise<Policy> {
  const held = core.shelf.get(keyOf(address));
  if (held !== undefined && held.faults.policy === undefined) return held.policy;
  return readPolicyFile(core, address);
}
