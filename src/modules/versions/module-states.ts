// The modules of this process in memory, the live modules derived from them, and the locks under which they change. Entries are
// replaced, never changed.
import type { Coordination } from '../../deployment/coordination.ts';
import { AppError } from '../../errors/errors.ts';
import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import type { ModuleVersion } from '../../sandbox-supervisor/model/module-version.ts';
import type { WritableModuleRegistry } from '../model/module-registry.ts';
import {
  type LiveModule,
  type ModuleAddress,
  type ModuleFilePart,
  type ModuleStatus,
  moduleKey,
  modulePath,
  parseModuleKey,
} from '../model/module-types.ts';
import { type PathPattern, parsePathPattern } from '../model/path-patterns.ts';
import type { Policy } from '../policy/policy.ts';
import { initialModuleState, type ModuleState } from './module-records.ts';

export interface ModuleEntry {
  readonly address: ModuleAddress;
  readonly state: ModuleState;
  readonly policy: Policy;
  /** The active code, or that of a broken file; undefined while no version is approved. */
  readonly source: string | undefined;
  /** Why its files cannot become active. */
  readonly fileErrors: FileErrors;
}

type FileErrors = Readonly<Partial<Record<ModuleFilePart, string>>>;

export interface ModuleStates {
  get(key: string): ModuleEntry | undefined;
  /** Throws NOT_FOUND. */
  getOrThrow(address: ModuleAddress): ModuleEntry;
  all(): Iterable<ModuleEntry>;
  /** Active for every call from now on. */
  put(entry: ModuleEntry): void;
  /** Removes the module and keeps this state of it. */
  remove(state: ModuleState): void;
  /** The state of a module, present or removed; the initial one where the name is unknown. */
  getState(key: string): ModuleState;
  /** Nothing of the module may run. */
  isSuspended(key: string): boolean;
  /** Of every known module, present or removed. */
  allStates(): Iterable<ModuleState>;
  /** Replaces the state of a module, present or removed. */
  setState(state: ModuleState): void;
}

interface ModuleStatesDeps {
  readonly registry: WritableModuleRegistry;
  /** Evicts isolates of older code or of an older policy. */
  readonly retire: (moduleId: string) => void;
  /** Ends all invocations of a module. */
  readonly stop: (moduleId: string) => void;
}

const isBroken = ({ fileErrors }: ModuleEntry) =>
  fileErrors.code !== undefined || fileErrors.policy !== undefined;

function moduleStatus(entry: ModuleEntry): ModuleStatus {
  const { state } = entry;
  if (isBroken(entry)) return 'broken';
  if (state.active === null) return 'pending';
  return state.suspendedBy === null ? 'active' : 'suspended';
}

function toModuleVersion(entry: ModuleEntry): ModuleVersion | undefined {
  const { address, state, policy, source } = entry;
  if (state.active === null || source === undefined || isBroken(entry)) return undefined;
  const { version, sha256 } = state.active;
  const id = moduleKey(address);
  const effective = policy.resolve(id, state.quarantined);
  return { id, kind: address.kind, version, sha256, source, policy: effective };
}

/** Runs the module as before? Then its warm isolates are kept. */
function isSameCode(a: ModuleEntry | undefined, b: ModuleEntry): boolean {
  return (
    a !== undefined &&
    a.policy === b.policy &&
    a.source === b.source &&
    isBroken(a) === isBroken(b) &&
    a.state.quarantined === b.state.quarantined &&
    a.state.active?.version === b.state.active?.version
  );
}

function suspensionOf({ suspendedBy: by, suspendedClient: clientId, suspendedAt: at }: ModuleState) {
  return by === null ? {} : { suspension: { by, clientId, at } };
}

function toLiveModule(entry: ModuleEntry, moduleVersion: ModuleVersion | undefined): LiveModule {
  const { address, state } = entry;
  const metadata = moduleVersion === undefined ? undefined : state.active?.metadata;
  return {
    address,
    path: metadata?.route ?? modulePath(address),
    state: moduleStatus(entry),
    ...suspensionOf(state),
    methods: metadata?.methods ?? [],
    authenticate: metadata?.authenticate ?? true,
    ...(metadata?.displayName == null ? {} : { displayName: metadata.displayName }),
    ...(metadata?.openapi === undefined ? {} : { openapi: metadata.openapi }),
    ...(moduleVersion === undefined ? {} : { moduleVersion }),
    postedBy: state.active?.clientId ?? null,
    postedAt: state.active?.createdAt ?? 0,
  };
}

function patternOf(entry: ModuleEntry): PathPattern | undefined {
  const { address, state } = entry;
  const route = state.active?.metadata.route ?? null;
  if (address.kind === 'hook' || route === null || isBroken(entry)) return undefined;
  return parsePathPattern(route, address.apiVersion);
}

/** Creates the states, which keep the registry up to date. Path patterns must have been parsed before: here a bad one throws. */
export function createModuleStates({ registry, retire, stop }: ModuleStatesDeps): ModuleStates {
  const entries = new Map<string, ModuleEntry>();
  const states = new Map<string, ModuleState>();

  const put = (entry: ModuleEntry) => {
    const key = moduleKey(entry.address);
    const before = entries.get(key);
    const alike = isSameCode(before, entry);
    entries.set(key, entry);
    states.set(key, entry.state);
    // A thousand violations a second change the state, but nothing of the live module.
    if (alike && before?.state.suspendedBy === entry.state.suspendedBy) return;
    const current = alike ? registry.findByKey(key)?.moduleVersion : undefined;
    registry.put(toLiveModule(entry, current ?? toModuleVersion(entry)), patternOf(entry));
    const stopped = before?.state.suspendedBy === null && entry.state.suspendedBy !== null;
    if (stopped) stop(key);
    else if (before !== undefined && !alike) retire(key);
  };

  return {
    put,
    get: (key) => entries.get(key),
    getOrThrow(address) {
      const entry = entries.get(moduleKey(address));
      if (entry === undefined) throw new AppError('NOT_FOUND');
      return entry;
    },
    all: () => entries.values(),
    getState: (key) => states.get(key) ?? initialModuleState(key),
    isSuspended: (key) => states.get(key)?.suspendedBy != null,
    allStates: () => states.values(),
    setState(state) {
      const entry = entries.get(state.key);
      if (entry !== undefined) return put({ ...entry, state });
      states.set(state.key, state);
      const address = parseModuleKey(state.key);
      if (address !== undefined) registry.keepRemoved(address);
    },
    remove(state) {
      const before = entries.get(state.key);
      states.set(state.key, state);
      if (before === undefined) return;
      entries.delete(state.key);
      registry.remove(before.address);
      registry.keepRemoved(before.address);
      retire(state.key);
    },
  };
}

export interface ModuleLocks {
  /** Runs a change of one module after every earlier one of it, or of a module whose name differs only by case. */
  withModule<T>(address: ModuleAddress, task: () => Promise<T>): Promise<T>;
  /** Runs a change that may take a name or a route after every earlier one of any module. Take the module's lock first. */
  withPaths<T>(task: () => Promise<T>): Promise<T>;
}

/** Creates the locks, which other processes heed too. */
export function createModuleLocks(coordination: Pick<Coordination, 'exclusively'>): ModuleLocks {
  const mutex = createKeyedMutex();
  return {
    withModule(address, task) {
      const key = moduleKey(address).toLowerCase();
      return mutex.withLock(key, () => coordination.exclusively(`module ${key}`, task));
    },
    // No module has an empty key.
    withPaths: (task) => mutex.withLock('', () => coordination.exclusively('paths of modules', task)),
  };
}
