// How the state of a module goes on: pure functions, so that a change can be stored first and then be repeated on what holds.
import type { ModuleState, SuspendedBy, VersionFacts, Violation } from './records.ts';

const VIOLATIONS_KEPT = 20;
const FAULTY_KEPT = 100;
/** So many ends of processes within this time suspend a module. */
const BREAKER_COUNT = 3;
const BREAKER_MS = 300_000;

/** A version was added that is not in force. */
export function counted(state: ModuleState, version: number): ModuleState {
  return { ...state, last: Math.max(state.last, version) };
}

/** A version waits for a reviewer. */
export function waiting(state: ModuleState, version: number): ModuleState {
  return { ...counted(state, version), pending: [...state.pending, version] };
}

/**
 * A version came into force: what waited before it is overtaken. Code that has ended no process under this name lifts what the
 * circuit breaker did, and what older versions still end is not held against it; the suspension of a person stays.
 */
export function activated(state: ModuleState, facts: VersionFacts): ModuleState {
  const isFaulty = state.faulty.includes(facts.sha256);
  const lifts = state.suspendedBy === 'breaker' && !isFaulty;
  const lifted = lifts ? { ...resumed(state), judged: facts.version - 1 } : state;
  return {
    ...counted(lifted, facts.version),
    active: facts,
    policyBy: facts.policy === null ? state.policyBy : facts.clientId,
    broken: null,
    quarantined: isFaulty,
    pending: state.pending.filter((version) => version > facts.version),
  };
}

/** The module is gone. Its versions stay, and so does what is held against its name. */
export function removed(state: ModuleState): ModuleState {
  return {
    ...state,
    removedAt: state.last,
    active: null,
    broken: null,
    quarantined: false,
    pending: [],
    policyBy: null,
    violations: [],
  };
}

interface Suspension {
  readonly by: SuspendedBy;
  /** The admin. */
  readonly clientId?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const RANK: Readonly<Record<SuspendedBy, number>> = { breaker: 1, admin: 2, operator: 3 };

/** The module is suspended. Whoever did so first stays named, unless a person takes over from the breaker, or the operator. */
export function suspended(state: ModuleState, { by, clientId, at }: Suspension): ModuleState {
  if (state.suspendedBy !== null && RANK[state.suspendedBy] >= RANK[by]) return state;
  return { ...state, suspendedBy: by, suspendedClient: clientId ?? null, suspendedAt: at };
}

/** Whoever suspended it, it runs again. */
export function resumed(state: ModuleState): ModuleState {
  return { ...state, suspendedBy: null, suspendedClient: null, suspendedAt: null };
}

/** A person let it run again: what it did before is forgiven. Code that ended processes stays in quarantine. */
export function forgiven(state: ModuleState): ModuleState {
  return { ...resumed(state), ends: [] };
}

/** A limit was broken or kept. */
export function violated(state: ModuleState, violation: Violation): ModuleState {
  return { ...state, violations: [...state.violations, violation].slice(-VIOLATIONS_KEPT) };
}

/** Code of the module ended a process: it is put into a process of its own. */
export function ended(state: ModuleState, violation: Violation, sha256: string | undefined): ModuleState {
  const faulty = state.faulty.filter((known) => known !== sha256);
  const all = sha256 === undefined ? faulty : [...faulty, sha256].slice(-FAULTY_KEPT);
  const counts = violation.version > state.judged;
  return {
    ...violated(state, violation),
    faulty: all,
    quarantined: state.active !== null && all.includes(state.active.sha256),
    ends: counts ? [...state.ends, violation.at].slice(-BREAKER_COUNT) : state.ends,
  };
}

/** Whether code of this name ended processes too often for it to go on. */
export function endedTooMany({ ends }: ModuleState, now: number): boolean {
  return ends.filter((at) => at > now - BREAKER_MS).length >= BREAKER_COUNT;
}
