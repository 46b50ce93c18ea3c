// The start: every module that lies in files comes into force. Code whose hash is known is not looked at again, so a thousand
// modules cost little; a broken one is logged, answers 503, and stops nobody.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreUnavailable } from '../../errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import type { Pause } from '../../lib/async/pause.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { moduleKey, parseModuleKey } from '../model/address.ts';
import type { ModuleAddress } from '../model/types.ts';
import type { ModuleState, VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { withActiveVersion } from '../versions/state-transitions.ts';
import { logRejectedFile, removeDeletedModule } from './file-edits.ts';
import { type LifecycleDeps, moduleAuditEntry, withModuleLock } from './lifecycle-deps.ts';
import { applyOrders, type OperatorOrder } from './operator-orders.ts';
import { readPolicyFile } from './policy-file.ts';
import { assertModulePaths, publishFromFile } from './publish.ts';

const MAX_CONCURRENT_READS = 16;
// While one is stored the next is looked at; more at once would only wait for each other.
const MAX_CONCURRENT_INSPECTIONS = 4;
/** Milliseconds until code is looked at again that could not be stored. */
const RETRY_MS = 2000;
/** How long a start waits for code that has to be looked at. */
const STARTUP_WAIT_MS = 5000;

/** Reads the policy beside the code. What is wrong with it stops its module, which must not run with another one. */
async function loadPolicy(
  core: LifecycleDeps,
  address: ModuleAddress,
): Promise<Pick<ModuleEntry, 'policy' | 'faults'>> {
  try {
    return { policy: await readPolicyFile(core, address), faults: {} };
  } catch (error) {
    logRejectedFile(core, core.files.fileOf(address, 'policy'), error);
    return { policy: core.policies.empty, faults: { policy: 'its policy is not valid' } };
  }
}

/**
 * The version that this code is, if it was accepted before: the one in force, or the newest, when the process died after
 * it had written the file.
 */
async function knownVersion(
  { records }: LifecycleDeps,
  { key, last, removedAt, active, pending }: ModuleState,
  sha256: string,
): Promise<VersionRecord | undefined> {
  if (active?.sha256 === sha256) return active;
  if (last <= (active?.version ?? removedAt) || pending.includes(last)) return undefined;
  const newest = await records.findVersion(key, last);
  return newest?.sha256 === sha256 ? newest : undefined;
}

/** For code that a start finds in its file and brings into force: the process died before it could. */
function foundCodeEntry(address: ModuleAddress, { active }: ModuleState, { sha256 }: VersionRecord) {
  const action = active === null ? 'create' : 'replace';
  return moduleAuditEntry({ address, action, clientId: null, before: active?.sha256 ?? null, after: sha256 });
}

/** Brings one module into force if its code is known. Resolves to false when the code has to be looked at. */
async function loadKnown(core: LifecycleDeps, address: ModuleAddress): Promise<boolean> {
  const { files, shelf, records } = core;
  const found = await files.read(address, 'code');
  if (found.state === 'absent') return true;
  const state = shelf.getState(moduleKey(address));
  const given = await loadPolicy(core, address);
  if (found.state === 'unreadable') {
    const message = `The file cannot be read: ${found.why}`;
    logRejectedFile(core, files.fileOf(address, 'code'), new AppError('ENDPOINT_INVALID', { message }));
    const faults = { ...given.faults, code: 'its file cannot be read' };
    shelf.put({ address, state, policy: given.policy, source: undefined, faults });
    return true;
  }
  const facts = await knownVersion(core, state, sha256Hex(found.text));
  const held: ModuleEntry = { address, state, source: found.text, ...given };
  if (facts === undefined) {
    shelf.put({ ...held, faults: { ...given.faults, code: 'its file has not been looked at' } });
    return false;
  }
  const next = state.active?.version === facts.version ? state : withActiveVersion(state, facts);
  if (next !== state) await records.saveState(next, foundCodeEntry(address, state, facts));
  shelf.put({ ...held, state: next });
  return true;
}

/** What came of one look at code: `again` where the store was away. */
type InspectionState = 'settled' | 'again';

async function tryPublishUnknown(core: LifecycleDeps, address: ModuleAddress): Promise<InspectionState> {
  try {
    await inspectAndPublish(core, address);
    return 'settled';
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    return 'again';
  }
}

async function inspectAndPublish(core: LifecycleDeps, address: ModuleAddress): Promise<void> {
  const { shelf, records, acceptance, files } = core;
  const held = shelf.get(moduleKey(address));
  // Somebody may have posted other code, or removed it, while this waited for its turn.
  if (held?.source === undefined || held.faults.code === undefined) return;
  try {
    const source = acceptance.normalizeText(held.source);
    // Warnings are for whoever posts: here nobody reads them, and they cost time.
    const { metadata } = await acceptance.inspect(source, address.kind, 'context');
    const action = held.state.active === null ? 'create' : 'replace';
    await publishFromFile(core, { address, source, metadata, action });
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    logRejectedFile(core, files.fileOf(address, 'code'), error);
    const refused = error instanceof AppError && error.code === 'ENDPOINT_INVALID';
    const known = shelf.getState(moduleKey(address));
    const state = { ...known, broken: refused ? sha256Hex(held.source) : known.broken };
    if (refused) await records.saveState(state);
    shelf.put({
      ...held,
      state: { ...shelf.getState(moduleKey(address)), broken: state.broken },
      faults: { ...held.faults, code: 'its file is broken' },
    });
  }
}

/** Modules whose file went while nobody watched, and those that wait for their first approval. */
async function loadAbsent(core: LifecycleDeps, { key, active, pending }: ModuleState): Promise<void> {
  const address = parseModuleKey(key);
  if (address === undefined || core.shelf.get(key) !== undefined) return;
  if (active !== null) return removeDeletedModule(core, address);
  if (pending.length === 0) return;
  const state = core.shelf.getState(key);
  core.shelf.put({ address, state, policy: core.policies.empty, source: undefined, faults: {} });
}

/** Names that collide were refused when they were posted; what was laid by hand is in force, and said to be doubtful. */
function warnOfPathConflicts(core: LifecycleDeps): void {
  for (const { address, state, faults } of core.shelf.all()) {
    if (state.active === null || faults.code !== undefined) continue;
    try {
      assertModulePaths(core, address, state.active.metadata);
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
async function publishAllUnknown(
  core: LifecycleDeps,
  unknown: readonly ModuleAddress[],
  { signal, pause }: LoadOptions,
): Promise<void> {
  let left = unknown;
  while (left.length > 0 && !signal.aborted) {
    const again: ModuleAddress[] = [];
    await mapConcurrent(left, MAX_CONCURRENT_INSPECTIONS, async (address) => {
      if (signal.aborted) return;
      const look = await withModuleLock(core, address, () => tryPublishUnknown(core, address));
      if (look === 'again') again.push(address);
    });
    left = again;
    if (left.length > 0) await pause(RETRY_MS, signal);
  }
  warnOfPathConflicts(core);
}

/**
 * Brings everything into force. Looking at unknown code goes on behind the start when it takes long: until its turn such a
 * module answers 503. Resolves with the promise of that rest. Rejects with the store's StoreError only: then it may be
 * called again.
 */
export async function loadModules(
  core: LifecycleDeps,
  { orders, ...options }: LoadOptions & { readonly orders: () => Promise<readonly OperatorOrder[]> },
): Promise<{ readonly rest: Promise<void> }> {
  await core.records.ensureIndexes();
  // What the operator has suspended meanwhile must not run until the orders are carried out.
  const states = applyOrders(await core.records.loadStates(), await orders());
  for (const state of states) core.shelf.setState(state);
  const codes = (await core.files.list()).filter(({ part }) => part === 'code');
  const unknown: ModuleAddress[] = [];
  await mapConcurrent(codes, MAX_CONCURRENT_READS, async ({ address }) => {
    if (!(await loadKnown(core, address))) unknown.push(address);
  });
  await mapConcurrent(states, MAX_CONCURRENT_READS, (state) => loadAbsent(core, state));
  const rest = publishAllUnknown(core, unknown, options);
  await Promise.race([rest, setTimeout(STARTUP_WAIT_MS, undefined, { ref: false })]);
  return { rest };
}
