// Posting code, and going back to older code: looked at, then in force, or kept until a reviewer approves it.
import { AppError } from '../../errors.ts';
import type { ModuleAddress, PostResult } from '../modules.ts';
import type { Accepted } from './acceptance.ts';
import { assertAddress, keyOf } from './address.ts';
import { type Core, inTurn } from './core.ts';
import { assertPaths, holdBack, install, type NewCode } from './install.ts';
import { policyFor, policyHash } from './policy-text.ts';
import { mustWait, type ReviewMode } from './review.ts';
import { assertFreeName } from './route-problems.ts';

interface Change {
  readonly address: ModuleAddress;
  readonly by: string | null;
  readonly review: ReviewMode;
}

interface Posting extends Change {
  readonly source: string;
  /** False refuses an existing module, true demands one, undefined does either. */
  readonly replace: boolean | undefined;
}

interface RollBack extends Change {
  readonly version: number;
}

function assertReplace({ shelf }: Core, { address, replace }: Posting): void {
  const exists = shelf.get(keyOf(address)) !== undefined;
  if (replace === true && !exists) throw new AppError('NOT_FOUND');
  if (replace !== false || !exists) return;
  throw new AppError('NAME_TAKEN', {
    message: `${address.kind === 'hook' ? 'Hook' : 'Endpoint'} already exists`,
  });
}

// Some file systems cannot tell such names apart: one would overwrite the other.
// And what is suspended must not run on under such a name, also when it was removed.
function assertDistinct({ registry, shelf }: Core, address: ModuleAddress): void {
  const key = keyOf(address);
  const suspended = [...shelf.states()].filter(({ suspendedBy }) => suspendedBy !== null);
  const other = registry
    .list()
    .map((live) => keyOf(live.address))
    .concat(suspended.map((state) => state.key))
    .find((known) => known !== key && known.toLowerCase() === key.toLowerCase());
  if (other === undefined) return;
  throw new AppError('NAME_TAKEN', { field: 'name', message: `differs only by case from \`${other}\`` });
}

async function settle(
  core: Core,
  code: NewCode,
  { waits }: { readonly waits: boolean },
): Promise<Pick<PostResult, 'created' | 'version' | 'pending'>> {
  const created = core.shelf.get(keyOf(code.address)) === undefined;
  const { version } = waits ? await holdBack(core, code, undefined) : await install(core, code);
  return { created, version, pending: waits };
}

const resultOf = ({ warnings, suggestedIsolation }: Accepted) => ({ warnings, suggestedIsolation });

/** Throws PAYLOAD_TOO_LARGE, ENDPOINT_INVALID, NAME_TAKEN, NOT_FOUND, WORKSPACE_UNAVAILABLE, or what the sandbox throws. */
export async function postCode(core: Core, posting: Posting): Promise<PostResult> {
  const { address, by, review } = posting;
  assertAddress(address);
  const source = core.acceptance.text(posting.source);
  assertDistinct(core, address);
  if (address.kind === 'endpoint') assertFreeName(address, core.collections);
  return inTurn(core, address, async () => {
    assertReplace(core, posting);
    const policy = await policyFor(core, address);
    const { isolation } = policy.effective(keyOf(address), false);
    const accepted = await core.acceptance.look(source, address.kind, isolation, by);
    const { metadata } = accepted;
    assertPaths(core, address, metadata);
    const action = core.shelf.get(keyOf(address)) === undefined ? 'create' : 'replace';
    const code = { address, source, metadata, by, action };
    const settled = await settle(core, code, { waits: mustWait(review, policy) });
    return { ...settled, ...resultOf(accepted) };
  });
}

/**
 * Makes a new version of old code, which was looked at then. What a reviewer approved for the policy that holds now need not
 * wait again.
 */
export function rollBack(core: Core, { address, version, by, review }: RollBack): Promise<PostResult> {
  const key = keyOf(address);
  return inTurn(core, address, async () => {
    const facts = await core.records.version(key, version);
    const source = await core.records.source(key, version);
    const held = core.shelf.get(key);
    if (facts === undefined || source === undefined || held === undefined) throw new AppError('NOT_FOUND');
    const code = { address, source, metadata: facts.metadata, by, action: 'rollback' };
    const policy = await policyFor(core, address);
    const isApproved = facts.approvedBy !== null && facts.policySha256 === policyHash(policy);
    const settled = await settle(core, code, { waits: !isApproved && mustWait(review, policy) });
    return { ...settled, warnings: [], suggestedIsolation: null };
  });
}
