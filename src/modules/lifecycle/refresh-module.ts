// Brings into force what another process has changed of a module: it stored the state, and wrote the files, before it told.
import { StoreError } from '../../errors/errors.ts';
import type { Log } from '../../lib/logger.ts';
import { type ModuleAddress, moduleKey, parseModuleKey } from '../model/module-types.ts';
import type { ModuleState } from '../versions/module-records.ts';
import type { ModuleEntry } from '../versions/module-states.ts';
import { isUnpublished } from '../versions/state-transitions.ts';
import type { DeferredWrites } from './deferred-writes.ts';
import { logRejectedFile } from './file-edits.ts';
import { type PublishDeps, policyHash, readPolicyFile } from './publish-steps.ts';

export interface RefreshDeps extends PublishDeps {
  readonly writes: Pick<DeferredWrites, 'withUnsaved'>;
  readonly logs: { drop(key: string): void };
  readonly log: Pick<Log, 'error'>;
  /** Ends all invocations of a module, and resolves when none goes on. */
  readonly stop: (key: string) => Promise<void>;
}

/** Takes the stored state of a module, of all modules without a key. Rejects with the store's StoreError. */
export async function refreshModules(deps: RefreshDeps, key: string | undefined): Promise<void> {
  const { records } = deps;
  if (key === undefined) {
    for (const stored of await records.loadStates()) await refresh(deps, stored);
    return;
  }
  const stored = await records.loadState(key);
  if (stored !== undefined) await refresh(deps, stored);
}

async function refresh(deps: RefreshDeps, stored: ModuleState): Promise<void> {
  const { states, writes, stop } = deps;
  const { key } = stored;
  const address = parseModuleKey(key);
  if (address === undefined) return;
  const wasSuspended = states.isSuspended(key);
  const state = writes.withUnsaved(stored);
  if (stored.active !== null || isUnpublished(stored)) await refreshCode(deps, address, state);
  else if (stored.broken === null) forget(deps, address, state);
  else states.setState(state);
  if (!wasSuspended && states.isSuspended(key)) await stop(key);
}

function forget({ states, files, logs }: RefreshDeps, address: ModuleAddress, state: ModuleState): void {
  const key = moduleKey(address);
  if (states.get(key) === undefined) {
    states.setState(state);
    return;
  }
  files.expect(address, 'code', undefined);
  files.expect(address, 'policy', undefined);
  states.remove(state);
  logs.drop(key);
}

async function refreshCode(deps: RefreshDeps, address: ModuleAddress, state: ModuleState): Promise<void> {
  const { states, records, files } = deps;
  const known = states.get(state.key);
  const { active } = state;
  const isKnown = known?.state.active?.version === active?.version && known?.fileErrors.code === undefined;
  const kept = isKnown ? known?.source : undefined;
  const stored = active === null ? undefined : await records.findSource(state.key, active.version);
  const source = kept ?? stored;
  if (source !== undefined) files.expect(address, 'code', source);
  states.put({ address, state, source, ...(await refreshPolicy(deps, address, known)) });
}

/** The policy in its file. One that has not changed stays the same object, so that warm isolates stay. */
async function refreshPolicy(
  deps: RefreshDeps,
  address: ModuleAddress,
  known: ModuleEntry | undefined,
): Promise<Pick<ModuleEntry, 'policy' | 'fileErrors'>> {
  try {
    const policy = await readPolicyFile(deps, address);
    const isSame = known !== undefined && policyHash(known.policy) === policyHash(policy);
    return { policy: isSame ? known.policy : policy, fileErrors: {} };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    logRejectedFile(deps, deps.files.fileOf(address, 'policy'), error);
    return { policy: deps.policies.empty, fileErrors: { policy: 'its policy is not valid' } };
  }
}
