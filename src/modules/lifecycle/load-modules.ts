// Loads every module from its files at startup. Code whose hash is known is not inspected again, so a thousand modules cost
// little; a broken module is logged, answers 503, and does not stop the startup.
import { setTimeout } from 'node:timers/promises';
import { AppError, isStoreUnavailable, StoreError } from '../../errors/errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import type { Pause } from '../../lib/async/retry.ts';
import { sha256Hex } from '../../lib/sha256.ts';
import { type ModuleAddress, moduleAuditEntry, moduleKey, parseModuleKey } from '../model/module-types.ts';
import type { ModuleState, VersionRecord } from '../versions/module-records.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { isUnpublished, withActiveVersion } from '../versions/state-transitions.ts';
import { type FileEditDeps, logRejectedFile, publishFromFile } from './file-edits.ts';
import { applyOperatorOrders, type OperatorOrder } from './operator-orders.ts';
import { assertModulePaths, readPolicyFile } from './publish-steps.ts';
import { removeDeletedModule } from './stop-module.ts';

const MAX_CONCURRENT_READS = 16;
// While one version is stored the next is inspected; more at once would only wait for each other.
const MAX_CONCURRENT_INSPECTIONS = 4;
/** Milliseconds until code is inspected again that could not be stored. */
const RETRY_MS = 2000;
/** Milliseconds that the startup waits for code that has to be inspected. */
const STARTUP_WAIT_MS = 5000;

/** Reads the policy beside the code. An invalid one stops its module, which must not run under another policy. */
async function loadPolicy(
  deps: FileEditDeps,
  address: ModuleAddress,
): Promise<Pick<ModuleEntry, 'policy' | 'fileErrors'>> {
  try {
    return { policy: await readPolicyFile(deps, address), fileErrors: {} };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    logRejectedFile(deps, deps.files.fileOf(address, 'policy'), error);
    return { policy: deps.policies.empty, fileErrors: { policy: 'its policy is not valid' } };
  }
}

/**
 * The version of this code, if it was published before: the active one, or the newest, when the process died after it had
 * written the file.
 */
async function findKnownVersion(
  { records }: Pick<FileEditDeps, 'records'>,
  { key, last, removedAt, active, pending }: ModuleState,
  sha256: string,
): Promise<VersionRecord | undefined> {
  if (active?.sha256 === sha256) return active;
  if (last <= (active?.version ?? removedAt) || pending.includes(last)) return undefined;
  const newest = await records.findVersion(key, last);
  return newest?.sha256 === sha256 && newest.refused === undefined ? newest : undefined;
}

/** The audit entry of code in a file that the process had no time to activate before it died. */
function foundCodeEntry(address: ModuleAddress, { active }: ModuleState, { sha256 }: VersionRecord) {
  const action = active === null ? 'create' : 'replace';
  return moduleAuditEntry({ address, action, actor: null, before: active?.sha256 ?? null, after: sha256 });
}

/** Activates one module if its code is known. Resolves to false when the code has to be inspected. */
async function loadKnown(deps: FileEditDeps, address: ModuleAddress): Promise<boolean> {
  const { files, states } = deps;
  const file = await files.read(address, 'code');
  if (file.state === 'absent') return true;
  const state = states.getState(moduleKey(address));
  const loaded = await loadPolicy(deps, address);
  if (file.state === 'unreadable') {
    const message = `The file cannot be read: ${file.why}`;
    logRejectedFile(deps, files.fileOf(address, 'code'), new AppError('ENDPOINT_INVALID', { message }));
    const fileErrors = { ...loaded.fileErrors, code: 'its file cannot be read' };
    states.put({ address, state, policy: loaded.policy, source: undefined, fileErrors });
    return true;
  }
  const record = await findKnownVersion(deps, state, sha256Hex(file.text));
  const entry: ModuleEntry = { address, state, source: file.text, ...loaded };
  if (record === undefined) {
    states.put({ ...entry, fileErrors: { ...loaded.fileErrors, code: 'its file has not been looked at' } });
    return false;
  }
  const isActive = state.active?.version === record.version;
  states.put({ ...entry, state: isActive ? state : await takeUpVersion(deps, address, record) });
  return true;
}

/** Activates a version that was stored, and is in its file, unless the process that publishes it is about to do that. */
function takeUpVersion(
  deps: FileEditDeps,
  address: ModuleAddress,
  record: VersionRecord,
): Promise<ModuleState> {
  const { records, states, locks } = deps;
  const key = moduleKey(address);
  return locks.withModule(address, async () => {
    const state = (await records.loadState(key)) ?? states.getState(key);
    if (state.active?.version === record.version) return state;
    const next = withActiveVersion(state, record);
    await records.saveState(next, foundCodeEntry(address, state, record));
    return next;
  });
}

/** Resolves to false where the store is unavailable, or another process holds the lock of the module for too long. */
async function tryInspectAndPublish(deps: FileEditDeps, address: ModuleAddress): Promise<boolean> {
  try {
    await deps.locks.withModule(address, () => inspectAndPublish(deps, address));
    return true;
  } catch (error) {
    if (!isStoreUnavailable(error)) throw error;
    return false;
  }
}

async function inspectAndPublish(deps: FileEditDeps, address: ModuleAddress): Promise<void> {
  const { states, records, validator, files } = deps;
  const entry = states.get(moduleKey(address));
  // Other code may have been posted, or this removed, while it waited for the lock.
  if (entry?.source === undefined || entry.fileErrors.code === undefined) return;
  try {
    const source = validator.normalizeText(entry.source);
    // Isolation `context` skips the search for undeclared names: those warnings are for clients that post.
    const { metadata, warnings } = await validator.inspect(source, address.kind, 'context');
    const action = entry.state.active === null ? 'create' : 'replace';
    await publishFromFile(deps, { address, source, metadata, action });
    for (const warning of warnings) deps.log.warn({ module: moduleKey(address), warning }, 'code warning');
  } catch (error) {
    if (isStoreUnavailable(error)) throw error;
    logRejectedFile(deps, files.fileOf(address, 'code'), error);
    const isInvalid = error instanceof AppError && error.code === 'ENDPOINT_INVALID';
    const known = states.getState(moduleKey(address));
    const state = { ...known, broken: isInvalid ? sha256Hex(entry.source) : known.broken };
    if (isInvalid) await records.saveState(state);
    states.put({
      ...entry,
      state: { ...states.getState(moduleKey(address)), broken: state.broken },
      fileErrors: { ...entry.fileErrors, code: 'its file is broken' },
    });
  }
}

/** Removes a module whose file is gone, unless another process has removed it, or put it there again. */
async function removeAbsent(deps: FileEditDeps, address: ModuleAddress): Promise<void> {
  const { records, files, states, locks } = deps;
  const isBack = await locks.withModule(address, async () => {
    const stored = await records.loadState(moduleKey(address));
    if (stored?.active == null) {
      if (stored !== undefined) states.setState(stored);
      return false;
    }
    if ((await files.read(address, 'code')).state !== 'absent') return true;
    await removeDeletedModule(deps, address);
    return false;
  });
  // It may take the lock itself.
  if (isBack) await loadKnown(deps, address);
}

/** Removes a module whose file was deleted while no server ran, and loads one of which no version is approved yet. */
async function loadAbsent(deps: FileEditDeps, stored: ModuleState): Promise<void> {
  const { key, active } = stored;
  const address = parseModuleKey(key);
  if (address === undefined || deps.states.get(key) !== undefined) return;
  if (active !== null) return removeAbsent(deps, address);
  if (!isUnpublished(stored)) return;
  const state = deps.states.getState(key);
  deps.states.put({ address, state, policy: deps.policies.empty, source: undefined, fileErrors: {} });
}

/** Posted modules cannot take a path twice; files that were laid by hand can, which is only warned of. */
function warnOfPathConflicts(deps: FileEditDeps): void {
  for (const { address, state, fileErrors } of deps.states.all()) {
    if (state.active === null || fileErrors.code !== undefined) continue;
    try {
      assertModulePaths(deps, address, state.active.metadata);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const file = deps.files.fileOf(address, 'code');
      deps.log.warn({ file, problems: error.items }, 'path of this module is also used by something else');
    }
  }
}

interface LoadAllOptions extends LoadOptions {
  readonly orders: () => Promise<readonly OperatorOrder[]>;
  /** Called when all states are loaded, before unknown code is inspected. */
  readonly onStatesLoaded: () => Promise<void>;
}

interface LoadOptions {
  /** The server closes. */
  readonly signal: AbortSignal;
  readonly pause: Pause;
}

/** Inspects and publishes unknown code. When the server closes, the rest waits for the next start. */
async function publishAllUnknown(
  deps: FileEditDeps,
  unknown: readonly ModuleAddress[],
  { signal, pause }: LoadOptions,
): Promise<void> {
  let remaining = unknown;
  while (remaining.length > 0 && !signal.aborted) {
    const unsaved: ModuleAddress[] = [];
    await mapConcurrent(remaining, MAX_CONCURRENT_INSPECTIONS, async (address) => {
      if (signal.aborted) return;
      const isDone = await tryInspectAndPublish(deps, address);
      if (!isDone) unsaved.push(address);
    });
    remaining = unsaved;
    if (remaining.length > 0) await pause(RETRY_MS, signal);
  }
  warnOfPathConflicts(deps);
}

/**
 * Loads everything. Inspecting unknown code goes on in the background when it takes long: until then such a module answers
 * 503. Resolves with the promise of that rest. Rejects with the store's StoreError only: then it may be called again.
 */
export async function loadModules(
  deps: FileEditDeps,
  { orders, onStatesLoaded, ...options }: LoadAllOptions,
): Promise<{ readonly rest: Promise<void> }> {
  await deps.records.ensureIndexes();
  // Modules that an operator suspended must not run before the orders are carried out.
  const storedStates = applyOperatorOrders(await deps.records.loadStates(), await orders());
  for (const state of storedStates) deps.states.setState(state);
  const codes = (await deps.files.list()).filter(({ part }) => part === 'code');
  const unknown: ModuleAddress[] = [];
  await mapConcurrent(codes, MAX_CONCURRENT_READS, async ({ address }) => {
    if (!(await loadKnown(deps, address))) unknown.push(address);
  });
  await mapConcurrent(storedStates, MAX_CONCURRENT_READS, (state) => loadAbsent(deps, state));
  await onStatesLoaded();
  const rest = publishAllUnknown(deps, unknown, options);
  await Promise.race([rest, setTimeout(STARTUP_WAIT_MS, undefined, { ref: false })]);
  return { rest };
}
