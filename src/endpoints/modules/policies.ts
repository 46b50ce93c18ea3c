// Reading and putting the policy of a module.
import { AppError } from '../../errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, entryOf } from './core.ts';
import { holdBack } from './install.ts';
import type { Policy } from './policy.ts';
import { policyHash, policyText } from './policy-text.ts';
import type { VersionFacts } from './records.ts';
import { mustWait, type ReviewMode } from './review.ts';
import type { Held } from './shelf.ts';

/** The policy as it was put, with what the server knows of the code it holds for. */
export function shownPolicy({ policy, state }: Held): JsonObject {
  if (policy.given === undefined && state.pending.length === 0) return { version: 1 };
  const { active, pending } = state;
  const code = {
    ...(active === null ? {} : { sha256: active.sha256 }),
    ...(active === null || active.approvedBy === null || active.approvedAt === null
      ? {}
      : {
          approvedBy: `client:${active.approvedBy}`,
          approvedAt: new Date(active.approvedAt).toISOString(),
        }),
    ...(pending.length === 0 ? {} : { pending }),
  };
  return { version: 1, ...policy.given, code };
}

/** The version whose code a policy that has to wait is for: the one in force, or the newest that waits. */
async function subject({ records }: Core, held: Held): Promise<VersionFacts & { readonly source: string }> {
  const { active, pending, key } = held.state;
  const version = active?.version ?? pending.at(-1) ?? 0;
  const facts = await records.version(key, version);
  const source = await records.source(key, version);
  if (facts !== undefined && source !== undefined) return { ...facts, source };
  throw new AppError('BAD_REQUEST', { message: 'Its code is broken: post code first' });
}

/** Puts a policy into force, or keeps it until another admin approves it. Rejects with POLICY_INVALID. */
export async function putPolicy(
  core: Core,
  held: Held,
  { value, by, review }: { readonly value: unknown; readonly by: string; readonly review: ReviewMode },
): Promise<void> {
  const { address } = held;
  const key = keyOf(address);
  const policy = await core.policies.read(value);
  if (mustWait(review, policy)) {
    const { source, metadata } = await subject(core, held);
    await holdBack(core, { address, source, metadata, by, action: 'policy' }, policy);
    return;
  }
  const states = { before: policyHash(held.policy), after: policyHash(policy) };
  await core.audit.announce(entryOf({ address, action: 'policy', clientId: by, ...states }), async () => {
    await core.files.write(address, 'policy', policyText(policy.given ?? {}));
    enforcePolicy(core, address, policy);
  });
  core.log.info({ module: key }, 'a policy was put');
}

/** Makes a policy hold for every request that comes from now on. */
function enforcePolicy({ shelf }: Core, address: ModuleAddress, policy: Policy): void {
  const held = shelf.get(keyOf(address));
  if (held === undefined) return;
  const { policy: _, ...faults } = held.faults;
  shelf.put({ ...held, policy, faults });
}

/** The same for a policy file that was edited by hand, with its entry in the audit log. */
export async function adoptPolicy(core: Core, address: ModuleAddress, policy: Policy): Promise<void> {
  const held = core.shelf.get(keyOf(address));
  if (held === undefined) return;
  const states = { before: policyHash(held.policy), after: policyHash(policy) };
  await core.audit.record(entryOf({ address, action: 'policy', clientId: null, ...states }));
  enforcePolicy(core, address, policy);
}
