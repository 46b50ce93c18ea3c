// The modules of this process as they are now, and what the rest of the server sees of them. Entries are replaced, never changed.
import type { LiveModule, ModuleAddress, ModuleState as ServedState } from '../modules.ts';
import type { Unit } from '../unit.ts';
import { addressOf, keyOf, pathOf } from './address.ts';
import type { Part } from './files.ts';
import type { Policy } from './policy.ts';
import { type ModuleState, newState } from './records.ts';
import type { WritableRegistry } from './registry.ts';
import { parseRoute, type RoutePattern } from './route-pattern.ts';

export interface Held {
  readonly address: ModuleAddress;
  readonly state: ModuleState;
  readonly policy: Policy;
  /** The code in force, or that of a broken file; undefined while no version is approved. */
  readonly source: string | undefined;
  /** Why its files cannot be brought into force, each by itself. */
  readonly faults: Faults;
}

type Faults = Readonly<Partial<Record<Part, string>>>;

export interface Shelf {
  get(key: string): Held | undefined;
  all(): Iterable<Held>;
  /** In force for every request that comes from now on. */
  put(held: Held): void;
  /** Takes the module away; `state` is what is known of it from now on. */
  remove(state: ModuleState): void;
  /** What is known of a module, there or gone. */
  state(key: string): ModuleState;
  /** Of every module that is known, there or gone. */
  states(): Iterable<ModuleState>;
  /** The module goes on with this state, if it is there. */
  setState(state: ModuleState): void;
}

interface ShelfOptions {
  readonly registry: WritableRegistry;
  /** Forgets what runs of older code, or under an older policy. */
  readonly retire: (unitId: string) => void;
  /** Ends all that runs of it. */
  readonly stop: (unitId: string) => void;
}

const isBroken = ({ faults }: Held) => faults.code !== undefined || faults.policy !== undefined;

function servedState(held: Held): ServedState {
  const { state } = held;
  if (isBroken(held)) return 'broken';
  if (state.active === null) return 'pending';
  return state.suspendedBy === null ? 'active' : 'suspended';
}

function unitOf(held: Held): Unit | undefined {
  const { address, state, policy, source } = held;
  if (state.active === null || source === undefined || isBroken(held)) return undefined;
  const { version, sha256 } = state.active;
  const id = keyOf(address);
  const effective = policy.effective(id, state.quarantined);
  return { id, kind: address.kind, version, sha256, source, policy: effective };
}

/** Does the module run as before? Then what is warm stays so. */
function runsAlike(a: Held | undefined, b: Held): boolean {
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

function liveOf(held: Held, unit: Unit | undefined): LiveModule {
  const { address, state } = held;
  const served = servedState(held);
  const metadata = unit === undefined ? undefined : state.active?.metadata;
  return {
    address,
    path: metadata?.route ?? pathOf(address),
    state: served,
    ...suspensionOf(state),
    methods: metadata?.methods ?? [],
    authenticate: metadata?.authenticate ?? true,
    ...(metadata?.displayName == null ? {} : { displayName: metadata.displayName }),
    ...(unit === undefined ? {} : { unit }),
    postedBy: state.active?.clientId ?? null,
    postedAt: state.active?.createdAt ?? 0,
  };
}

function routeOf(held: Held): RoutePattern | undefined {
  const { address, state } = held;
  const route = state.active?.metadata.route ?? null;
  if (address.kind === 'hook' || route === null || isBroken(held)) return undefined;
  return parseRoute(route, address.apiVersion);
}

/** Keeps the registry in step with the modules. Their routes must have been parsed before: here a bad one throws. */
export function createShelf({ registry, retire, stop }: ShelfOptions): Shelf {
  const shelf = new Map<string, Held>();
  const states = new Map<string, ModuleState>();

  const put = (held: Held) => {
    const key = keyOf(held.address);
    const before = shelf.get(key);
    const alike = runsAlike(before, held);
    shelf.set(key, held);
    states.set(key, held.state);
    // A module that breaks its limits a thousand times a second gains violations, which nobody out there sees.
    if (alike && before?.state.suspendedBy === held.state.suspendedBy) return;
    const unit = (alike ? registry.find(key)?.unit : undefined) ?? unitOf(held);
    registry.put(liveOf(held, unit), routeOf(held));
    const stopped = before?.state.suspendedBy === null && held.state.suspendedBy !== null;
    if (stopped) stop(key);
    else if (before !== undefined && !alike) retire(key);
  };

  return {
    put,
    get: (key) => shelf.get(key),
    all: () => shelf.values(),
    state: (key) => states.get(key) ?? newState(key),
    states: () => states.values(),
    setState(state) {
      const held = shelf.get(state.key);
      if (held !== undefined) return put({ ...held, state });
      states.set(state.key, state);
      const address = addressOf(state.key);
      if (address !== undefined) registry.keepVersions(address);
    },
    remove(state) {
      const before = shelf.get(state.key);
      states.set(state.key, state);
      if (before === undefined) return;
      shelf.delete(state.key);
      registry.remove(before.address);
      registry.keepVersions(before.address);
      retire(state.key);
    },
  };
}
