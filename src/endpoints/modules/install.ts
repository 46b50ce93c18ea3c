// Brings code into force: version record with its entry in the audit log, then file, then state, then the live module. A
// crash between them leaves what the next start completes, or a version that was never in force.
import { AppError } from '../../errors.ts';
import { fingerprint } from '../../lib/fingerprint.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ModuleAddress } from '../modules.ts';
import { keyOf } from './address.ts';
import { type Core, entryOf } from './core.ts';
import type { Metadata } from './metadata.ts';
import type { Policy } from './policy.ts';
import { fileTextOf, policyFor, policyHash, policyText } from './policy-text.ts';
import type { VersionFacts } from './records.ts';
import { parseRoute } from './route-pattern.ts';
import { assertFreeName, assertFreeRoute } from './route-problems.ts';
import type { Held } from './shelf.ts';
import { activated, counted, waiting } from './transitions.ts';

export interface NewCode {
  readonly address: ModuleAddress;
  readonly source: string;
  readonly metadata: Metadata;
  /** Null: a file laid by hand. */
  readonly by: string | null;
  /** For the audit log: `create`, `replace`, `rollback`, … */
  readonly action: string;
}

type Contents = Pick<Held, 'source' | 'policy' | 'faults'>;

/** Throws NAME_TAKEN or ENDPOINT_INVALID where the module would take a path that means something else. */
export function assertPaths(
  { registry, collections }: Pick<Core, 'registry' | 'collections'>,
  address: ModuleAddress,
  { route }: Metadata,
): void {
  if (address.kind === 'hook') return;
  const parsed = route === null ? undefined : parseRoute(route, address.apiVersion);
  assertFreeName(address, collections);
  assertFreeRoute({ address, route: parsed }, registry.routed(), collections);
}

async function factsOf(
  { shelf, records, now }: Core,
  code: NewCode,
  { policy, under }: { readonly policy: JsonObject | null; readonly under: Policy },
): Promise<VersionFacts> {
  const key = keyOf(code.address);
  // A version that was reported as failed may have been stored all the same: nobody gets its number.
  const last = Math.max(shelf.state(key).last, await records.lastVersion(key));
  return {
    version: last + 1,
    sha256: fingerprint(code.source),
    clientId: code.by,
    createdAt: now(),
    metadata: code.metadata,
    approvedBy: null,
    approvedAt: null,
    policy,
    policySha256: policyHash(under),
  };
}

function bring({ shelf }: Core, address: ModuleAddress, facts: VersionFacts, contents: Contents): void {
  // Computed anew from what holds now: a suspension may have come in while the database wrote.
  shelf.put({ address, state: activated(shelf.state(keyOf(address)), facts), ...contents });
}

/** Gives a module the files of what is in force, because their change could not be stored. What fails here is completed by the next start. */
export async function takeBackFiles(
  { files, shelf, log }: Core,
  address: ModuleAddress,
  withPolicy: boolean,
): Promise<void> {
  const held = shelf.get(keyOf(address));
  const texts = {
    code: held?.source,
    policy: held === undefined ? undefined : fileTextOf(held.policy),
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
export function install(core: Core, code: NewCode): Promise<VersionFacts> {
  const { address, source, action, by } = code;
  const { shelf, records, files } = core;
  const key = keyOf(address);
  return core.queue.run('', async () => {
    assertPaths(core, address, code.metadata);
    const contents = { source, policy: await policyFor(core, address), faults: {} };
    const facts = await factsOf(core, code, { policy: null, under: contents.policy });
    const before = shelf.state(key).active?.sha256 ?? null;
    const entry = entryOf({ address, action, clientId: by, before, after: facts.sha256 });
    await records.add(counted(shelf.state(key), facts.version), { facts, source }, entry, async () => {
      shelf.setState(counted(shelf.state(key), facts.version));
      try {
        await files.write(address, 'code', source);
        await records.save(activated(shelf.state(key), facts));
      } catch (error) {
        await takeBackFiles(core, address, false);
        throw error;
      }
      bring(core, address, facts, contents);
    });
    return facts;
  });
}

/** The same for a file that somebody laid there by hand. A policy that is not valid goes on to stop the module. */
export function installLaid(core: Core, code: Omit<NewCode, 'by'>): Promise<VersionFacts> {
  const { address, source, action } = code;
  const { shelf, records } = core;
  const key = keyOf(address);
  return core.queue.run('', async () => {
    assertPaths(core, address, code.metadata);
    const { policy = await policyFor(core, address), faults = {} } = shelf.get(key) ?? {};
    const { code: _, ...otherFaults } = faults;
    const facts = await factsOf(core, { ...code, by: null }, { policy: null, under: policy });
    const before = shelf.state(key).active?.sha256 ?? null;
    const entry = entryOf({ address, action, clientId: null, before, after: facts.sha256 });
    await records.add(activated(shelf.state(key), facts), { facts, source }, entry);
    bring(core, address, facts, { source, policy, faults: otherFaults });
    return facts;
  });
}

/** For the audit log: the policy that holds, and the one that comes with the code, or stays. */
function policyHashes({ shelf }: Core, address: ModuleAddress, next: Policy | undefined) {
  const held = shelf.get(keyOf(address));
  const before = held === undefined || held.faults.policy !== undefined ? null : policyHash(held.policy);
  return { before, after: next === undefined ? before : policyHash(next) };
}

/** Keeps code, perhaps together with a policy, until a reviewer approves it. What is in force stays. */
export function holdBack(core: Core, code: NewCode, policy: Policy | undefined): Promise<VersionFacts> {
  const { address, source, by } = code;
  const { shelf, records, policies } = core;
  const key = keyOf(address);
  return core.queue.run('', async () => {
    assertPaths(core, address, code.metadata);
    const under = policy ?? (await policyFor(core, address));
    const facts = await factsOf(core, code, { policy: policy?.given ?? null, under });
    const before = shelf.state(key).active?.sha256 ?? null;
    const hashes = { before, after: facts.sha256, policy: policyHashes(core, address, policy) };
    const entry = entryOf({ address, action: 'propose', clientId: by, ...hashes });
    await records.add(waiting(shelf.state(key), facts.version), { facts, source }, entry);
    const state = waiting(shelf.state(key), facts.version);
    const blank = { address, policy: policies.none, source: undefined, faults: {} };
    shelf.put({ ...(shelf.get(key) ?? blank), state });
    return facts;
  });
}

/**
 * Lets a version that was held back into force, with its policy if it has one. Throws like `install`, POLICY_INVALID, and
 * VERSION_OUTDATED where it would run under another policy than the one with which it was read.
 */
export function installApproved(
  core: Core,
  address: ModuleAddress,
  { facts, source }: { readonly facts: VersionFacts; readonly source: string },
): Promise<void> {
  const { shelf, records, files, policies } = core;
  const key = keyOf(address);
  return core.queue.run('', async () => {
    assertPaths(core, address, facts.metadata);
    const own = facts.policy === null ? undefined : await policies.read(facts.policy);
    const policy = own ?? (await policyFor(core, address));
    if (own === undefined && policyHash(policy) !== facts.policySha256)
      throw new AppError('VERSION_OUTDATED');
    const before = shelf.state(key).active?.sha256 ?? null;
    const hashes = { before, after: facts.sha256, policy: policyHashes(core, address, policy) };
    const entry = entryOf({ address, action: 'approve', clientId: facts.approvedBy, ...hashes });
    await core.audit.announce(entry, async () => {
      try {
        await files.write(address, 'code', source);
        if (own?.given !== undefined) await files.write(address, 'policy', policyText(own.given));
        await records.change(activated(shelf.state(key), facts), facts);
      } catch (error) {
        await takeBackFiles(core, address, own !== undefined);
        throw error;
      }
      bring(core, address, facts, { source, policy, faults: {} });
    });
  });
}
