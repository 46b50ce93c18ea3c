// The modules of this process as they are now, and what the rest of the server sees of them. Entries are replaced, never changed.

import type { ModuleVersion } from '../../sandbox-supervisor/module-version.ts';
import type { ModuleFilePart } from '../lifecycle/module-files.ts';
import { moduleKey, modulePath, parseModuleKey } from '../model/address.ts';
import type { LiveModule, ModuleAddress, ModuleStatus as ServedState } from '../model/types.ts';
import type { Policy } from '../policy/policy.ts';
import type { WritableModuleRegistry } from '../routes/module-registry.ts';
import { parseRoute, type RoutePattern } from '../routes/route-pattern.ts';
import { initialState, type ModuleState } from './module-records.ts';

export interface ModuleEntry {
  readonly address: ModuleAddress;
  readonly state: ModuleState;
  readonly policy: Policy;
  /** The code in force, or that of a broken file; undefined while no version is approved. */
  readonly source: string | undefined;
  /** Why its files cannot be brought into force, each by itself. */
  readonly faults: FileErrors;
}

type FileErrors = Readonly<Partial<Record<ModuleFilePart, string>>>;

export interface ModuleStates {
  get(key: string): ModuleEntry | undefined;
  all(): Iterable<ModuleEntry>;
  /** In force for every request that comes from now on. */
  put(held: ModuleEntry): void;
  /** Takes the module away; `state` is what is known of it from now on. */
  remove(state: ModuleState): void;
  /** What is known of a module, there or gone. */
  getState(key: string): ModuleState;
  /** Of every module that is known, there or gone. */
  allStates(): Iterable<ModuleState>;
  /** The module goes on with this state, if it is there. */
  setState(state: ModuleState): void;
}

interface ModuleStatesDeps {
  readonly registry: WritableModuleRegistry;
  /** Forgets what runs of older code, or under an older policy. */
  readonly retire: (unitId: string) => void;
  /** Ends all that runs of it. */
  readonly stop: (unitId: string) => void;
}

const isBroken = ({ faults }: ModuleEntry) => faults.code !== undefined || faults.policy !== undefined;

function moduleStatus(held: ModuleEntry): ServedState {
  const { state } = held;
  if (isBroken(held)) return 'broken';
  if (state.active === null) return 'pending';
  return state.suspendedBy === null ? 'active' : 'suspended';
}

function toModuleVersion(held: ModuleEntry): ModuleVersion | undefined {
  const { address, state, policy, source } = held;
  if (state.active === null || source === undefined || isBroken(held)) return undefined;
  const { version, sha256 } = state.active;
  const id = moduleKey(address);
  const effective = policy.resolve(id, state.quarantined);
  return { id, kind: address.kind, version, sha256, source, policy: effective };
}

/** Does the module run as before? Then what is warm stays so. */
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

function toLiveModule(held: ModuleEntry, unit: ModuleVersion | undefined): LiveModule {
  const { address, state } = held;
  const served = moduleStatus(held);
  const metadata = unit === undefined ? undefined : state.active?.metadata;
  return {
    address,
    path: metadata?.route ?? modulePath(address),
    state: served,
    ...suspensionOf(state),
    methods: metadata?.methods ?? [],
    authenticate: metadata?.authenticate ?? true,
    ...(metadata?.displayName == null ? {} : { displayName: metadata.displayName }),
    ...(unit === undefined ? {} : { moduleVersion: unit }),
    postedBy: state.active?.clientId ?? null,
    postedAt: state.active?.createdAt ?? 0,
  };
}

function routeOf(held: ModuleEntry): RoutePattern | undefined {
  const { address, state } = held;
  const route = state.active?.metadata.route ?? null;
  if (address.kind === 'hook' || route === null || isBroken(held)) return undefined;
  return parseRoute(route, address.apiVersion);
}

/** Keeps the registry in step with the modules. Their routes must have been parsed before: here a bad one throws. */
export function createModuleStates({ registry, retire, stop }: ModuleStatesDeps): ModuleStates {
  const shelf = new Map<string, ModuleEntry>();
  const states = new Map<string, ModuleState>();

  const put = (held: ModuleEntry) => {
    const key = moduleKey(held.address);
    const before = shelf.get(key);
    const alike = isSameCode(before, held);
    shelf.set(key, held);
    states.set(key, held.state);
    // A module that breaks its limits a thousand times a second gains violations, which nobody out there sees.
    if (alike && before?.state.suspendedBy === held.state.suspendedBy) return;
    const unit = (alike ? registry.findByKey(key)?.moduleVersion : undefined) ?? toModuleVersion(held);
    registry.put(toLiveModule(held, unit), routeOf(held));
    const stopped = before?.state.suspendedBy === null && held.state.suspendedBy !== null;
    if (stopped) stop(key);
    else if (before !== undefined && !alike) retire(key);
  };

  return {
    put,
    get: (key) => shelf.get(key),
    all: () => shelf.values(),
    getState: (key) => states.get(key) ?? initialState(key),
    allStates: () => states.values(),
    setState(state) {
      const held = shelf.get(state.key);
      if (held !== undefined) return put({ ...held, state });
      states.set(state.key, state);
      const address = parseModuleKey(state.key);
      if (address !== undefined) registry.keepRemoved(address);
    },
    remove(state) {
      const before = shelf.get(state.key);
      states.set(state.key, state);
      if (before === undefined) return;
      shelf.delete(state.key);
      registry.remove(before.address);
      registry.keepRemoved(before.address);
      retire(state.key);
    },
  };
}
