// The start: every module that lies in files comes into force. Code whose hash is known is not looked at again, so a thousand
// modules cost little; a broken one is logged, answers 503, and stops nobody.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreAway } from '../../errors.ts';
import { fingerprint } from '../../lib/fingerprint.ts';
import type { Pause } from '../../lib/pause.ts';
import { mapSideBySide } from '../../lib/side-by-side.ts';
import type { ModuleAddress } from '../modules.ts';
import { addressOf, keyOf } from './address.ts';
import { type Core, entryOf, inTurn } from './core.ts';
import { logRefusal, removeLost } from './edits.ts';
import { assertPaths, installLaid } from './install.ts';
import { type Order, withOrders } from './orders.ts';
import { readPolicyFile } from './policy-text.ts';
import type { ModuleState, VersionFacts } from './records.ts';
import type { Held } from './shelf.ts';
import { activated } from './transitions.ts';

const READS_AT_ONCE = 16;
// While one is stored the next is looked at; more at once would only wait for each other.
const LOOKS_AT_ONCE = 4;
/** Milliseconds until code is looked at again that could not be stored. */
const AGAIN_MS = 2000;
/** How long a start waits for code that has to be looked at. */
const WAIT_MS = 5000;

/** Reads the policy beside the code. What is wrong with it stops its module, which must not run with another one. */
async function loadPolicy(core: Core, address: ModuleAddress): Promise<Pick<Held, 'policy' | 'faults'>> {
  try {
    return { policy: await readPolicyFile(core, address), faults: {} };
  } catch (error) {
    logRefusal(core, core.files.fileOf(address, 'policy'), error);
    return { policy: core.policies.none, faults: { policy: 'its policy is not valid' } };
  }
}

/**
 * The version that this code is, if it was accepted before: the one in force, or the newest, when the process died after
 * it had written the file.
 */
async function knownVersion(
  { records }: Core,
  { key, last, removedAt, active, pending }: ModuleState,
  sha256: string,
): Promise<VersionFacts | undefined> {
  if (active?.sha256 === sha256) return active;
  if (last <= (active?.version ?? removedAt) || pending.includes(last)) return undefined;
  const newest = await records.version(key, last);
  return newest?.sha256 === sha256 ? newest : undefined;
}

/** For code that a start finds in its file and brings into force: the process died before it could. */
function foundEntry(address: ModuleAddress, { active }: ModuleState, { sha256 }: VersionFacts) {
  const action = active === null ? 'create' : 'replace';
  return entryOf({ address, action, clientId: null, before: active?.sha256 ?? null, after: sha256 });
}

/** Brings one module into force if its code is known. Resolves to false when the code has to be looked at. */
async function loadKnown(core: Core, address: ModuleAddress): Promise<boolean> {
  const { files, shelf, records } = core;
  const found = await files.read(address, 'code');
  if (found.state === 'absent') return true;
  const state = shelf.state(keyOf(address));
  const given = await loadPolicy(core, address);
  if (found.state === 'unreadable') {
    const message = `The file cannot be read: ${found.why}`;
    logRefusal(core, files.fileOf(address, 'code'), new AppError('ENDPOINT_INVALID', { message }));
    const faults = { ...given.faults, code: 'its file cannot be read' };
    shelf.put({ address, state, policy: given.policy, source: undefined, faults });
    return true;
  }
  const facts = await knownVersion(core, state, fingerprint(found.text));
  const held: Held = { address, state, source: found.text, ...given };
  if (facts === undefined) {
    shelf.put({ ...held, faults: { ...given.faults, code: 'its file has not been looked at' } });
    return false;
  }
  const next = state.active?.version === facts.version ? state : activated(state, facts);
  if (next !== state) await records.save(next, foundEntry(address, state, facts));
  shelf.put({ ...held, state: next });
  return true;
}

/** What came of one look at code: `again` where the store was away. */
type Look = 'settled' | 'again';

async function loadUnknown(core: Core, address: ModuleAddress): Promise<Look> {
  try {
    await bringUnknown(core, address);
    return 'settled';
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return 'again';
  }
}

async function bringUnknown(core: Core, address: ModuleAddress): Promise<void> {
  const { shelf, records, acceptance, files } = core;
  const held = shelf.get(keyOf(address));
  // Somebody may have posted other code, or removed it, while this waited for its turn.
  if (held?.source === undefined || held.faults.code === undefined) return;
  try {
    const source = acceptance.text(held.source);
    // Warnings are for whoever posts: here nobody reads them, and they cost time.
    const { metadata } = await acceptance.look(source, address.kind, 'context');
    const action = held.state.active === null ? 'create' : 'replace';
    await installLaid(core, { address, source, metadata, action });
  } catch (error) {
    if (isStoreAway(error)) throw error;
    logRefusal(core, files.fileOf(address, 'code'), error);
    const refused = error instanceof AppError && error.code === 'ENDPOINT_INVALID';
    const known = shelf.state(keyOf(address));
    const state = { ...known, broken: refused ? fingerprint(held.source) : known.broken };
    if (refused) await records.save(state);
    shelf.put({
      ...held,
      state: { ...shelf.state(keyOf(address)), broken: state.broken },
      faults: { ...held.faults, code: 'its file is broken' },
    });
  }
}

/** Modules whose file went while nobody watched, and those that wait for their first approval. */
async function loadAbsent(core: Core, { key, active, pending }: ModuleState): Promise<void> {
  const address = addressOf(key);
  if (address === undefined || core.shelf.get(key) !== undefined) return;
  if (active !== null) return removeLost(core, address);
  if (pending.length === 0) return;
  const state = core.shelf.state(key);
  core.shelf.put({ address, state, policy: core.policies.none, source: undefined, faults: {} });
}

/** Names that collide were refused when they were posted; what was laid by hand is in force, and said to be doubtful. */
function warnOfCollisions(core: Core): void {
  for (const { address, state, faults } of core.shelf.all()) {
    if (state.active === null || faults.code !== undefined) continue;
    try {
      assertPaths(core, address, state.active.metadata);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const file = core.files.fileOf(address, 'code');
      core.log.warn(
        { file, problems: error.items },
        'the path of this module is taken by something else too',
      );
    }
  }
}

interface LoadOptions {
  /** The server closes. */
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

/** The code that nobody has looked at yet; what is left when the server closes waits for the next start. */
async function loadAllUnknown(
  core: Core,
  unknown: readonly ModuleAddress[],
  { signal, pause }: LoadOptions,
): Promise<void> {
  let left = unknown;
  while (left.length > 0 && !signal.aborted) {
    const again: ModuleAddress[] = [];
    await mapSideBySide(left, LOOKS_AT_ONCE, async (address) => {
      if (signal.aborted) return;
      const look = await inTurn(core, address, () => loadUnknown(core, address));
      if (look === 'again') again.push(address);
    });
    left = again;
    if (left.length > 0) await pause(AGAIN_MS, signal);
  }
  warnOfCollisions(core);
}

/**
 * Brings everything into force. Looking at unknown code goes on behind the start when it takes long: until its turn such a
 * module answers 503. Resolves with the promise of that rest. Rejects with the store's StoreError only: then it may be
 * called again.
 */
export async function loadModules(
  core: Core,
  { orders, ...options }: LoadOptions & { readonly orders: () => Promise<readonly Order[]> },
): Promise<{ readonly rest: Promise<void> }> {
  await core.records.ensure();
  // What the operator has suspended meanwhile must not run until the orders are carried out.
  const states = withOrders(await core.records.states(), await orders());
  for (const state of states) core.shelf.setState(state);
  const codes = (await core.files.list()).filter(({ part }) => part === 'code');
  const unknown: ModuleAddress[] = [];
  await mapSideBySide(codes, READS_AT_ONCE, async ({ address }) => {
    if (!(await loadKnown(core, address))) unknown.push(address);
  });
  await mapSideBySide(states, READS_AT_ONCE, (state) => loadAbsent(core, state));
  const rest = loadAllUnknown(core, unknown, options);
  await Promise.race([rest, setTimeout(WAIT_MS, undefined, { ref: false })]);
  return { rest };
}
