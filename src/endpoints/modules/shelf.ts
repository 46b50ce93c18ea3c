// The modules of this process as they are now, and what the rest of the server sees of them. Entries are replaced, never changed.
import type { LiveModule, ModuleAddress, ModuleState as ServedState } from '../modules.ts';
import type { Unit } from '../unit.ts';
import { keyOf, pathOf } from './address.ts';
import type { Policy } from './policy.ts';
import type { ModuleState } from './records.ts';
import type { WritableRegistry } from './registry.ts';
import { parseRoute, type RoutePattern } from './route-pattern.ts';

export interface Held {
  readonly address: ModuleAddress;
  readonly state: ModuleState;
  readonly policy: Policy;
  /** The code in force, or that of a broken file; undefined while no version is approved. */
  readonly source: string | undefined;
  /** Why its files cannot be brought into force. */
  readonly fault: string | undefined;
}

export interface Shelf {
  get(key: string): Held | undefined;
  all(): Iterable<Held>;
  /** In force for every request that comes from now on. */
  put(held: Held): void;
  remove(key: string): void;
}

interface ShelfOptions {
  readonly registry: WritableRegistry;
  /** Forgets what runs of older code, or under an older policy. */
  readonly retire: (unitId: string) => void;
}

function servedState({ fault, state }: Held): ServedState {
  if (fault !== undefined) return 'broken';
  if (state.active === null) return 'pending';
  return state.suspendedBy === null ? 'active' : 'suspended';
}

function unitOf({ address, state, policy, source, fault }: Held): Unit | undefined {
  if (state.active === null || source === undefined || fault !== undefined) return undefined;
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
    a.fault === b.fault &&
    a.state.quarantined === b.state.quarantined &&
    a.state.active?.version === b.state.active?.version
  );
}

function liveOf(held: Held, unit: Unit | undefined): LiveModule {
  const { address, state } = held;
  const served = servedState(held);
  const metadata = unit === undefined ? undefined : state.active?.metadata;
  return {
    address,
    path: metadata?.route ?? pathOf(address),
    state: served,
    ...(served === 'suspended' && state.suspendedBy !== null ? { suspendedBy: state.suspendedBy } : {}),
    methods: metadata?.methods ?? [],
    authenticate: metadata?.authenticate ?? true,
    ...(metadata?.displayName == null ? {} : { displayName: metadata.displayName }),
    ...(unit === undefined ? {} : { unit }),
    postedBy: state.active?.clientId ?? null,
    postedAt: state.active?.createdAt ?? 0,
  };
}

function routeOf({ address, state, fault }: Held): RoutePattern | undefined {
  const route = state.active?.metadata.route ?? null;
  if (address.kind === 'hook' || route === null || fault !== undefined) return undefined;
  return parseRoute(route, address.apiVersion);
}

/** Keeps the registry in step with the modules. Their routes must have been parsed before: here a bad one throws. */
export function createShelf({ registry, retire }: ShelfOptions): Shelf {
  const shelf = new Map<string, Held>();
  return {
    get: (key) => shelf.get(key),
    all: () => shelf.values(),
    put(held) {
      const key = keyOf(held.address);
      const before = shelf.get(key);
      const alike = runsAlike(before, held);
      const unit = (alike ? registry.find(key)?.unit : undefined) ?? unitOf(held);
      shelf.set(key, held);
      registry.put(liveOf(held, unit), routeOf(held));
      const stopped = held.state.suspendedBy !== null && before?.state.suspendedBy === null;
      if (before !== undefined && (!alike || stopped)) retire(key);
    },
    remove(key) {
      const before = shelf.get(key);
      if (before === undefined) return;
      shelf.delete(key);
      registry.remove(before.address);
      retire(key);
    },
  };
}
