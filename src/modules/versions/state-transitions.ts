// How the state of a module goes on: pure functions, so that a change can be stored first and then be repeated on what holds.
import type { ModuleState, RecordedViolation, SuspendedBy, VersionRecord } from './module-records.ts';

const MAX_VIOLATIONS = 20;
const MAX_FAULTY_HASHES = 100;
/** So many ends of processes within this time suspend a module. */
const MAX_ENDS = 3;
const ENDS_WINDOW_MS = 300_000;

/** A version was added that is not in force. */
export function withVersion(state: ModuleState, version: number): ModuleState {
  return { ...state, last: Math.max(state.last, version) };
}

/** A version waits for a reviewer. */
export function withPendingVersion(state: ModuleState, version: number): ModuleState {
  return { ...withVersion(state, version), pending: [...state.pending, version] };
}

/**
 * A version came into force: what waited before it is overtaken. Code that has ended no process under this name lifts what the
 * circuit breaker did, and what older versions still end is not held against it; the suspension of a person stays.
 */
export function withActiveVersion(state: ModuleState, facts: VersionRecord): ModuleState {
  const isFaulty = state.faulty.includes(facts.sha256);
  const lifts = state.suspendedBy === 'breaker' && !isFaulty;
  const lifted = lifts ? { ...withoutSuspension(state), judged: facts.version - 1 } : state;
  return {
    ...withVersion(lifted, facts.version),
    active: facts,
    policyBy: facts.policy === null ? state.policyBy : facts.clientId,
    broken: null,
    quarantined: isFaulty,
    pending: state.pending.filter((version) => version > facts.version),
  };
}

/** The module is gone. Its versions stay, and so does what is held against its name. */
export function withRemoval(state: ModuleState): ModuleState {
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

interface SuspensionInput {
  readonly by: SuspendedBy;
  /** The admin. */
  readonly clientId?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const SUSPENSION_RANK: Readonly<Record<SuspendedBy, number>> = { breaker: 1, admin: 2, operator: 3 };

/** The module is suspended. Whoever did so first stays named, unless a person takes over from the breaker, or the operator. */
export function withSuspension(state: ModuleState, { by, clientId, at }: SuspensionInput): ModuleState {
  if (state.suspendedBy !== null && SUSPENSION_RANK[state.suspendedBy] >= SUSPENSION_RANK[by]) return state;
  return { ...state, suspendedBy: by, suspendedClient: clientId ?? null, suspendedAt: at };
}

/** Whoever suspended it, it runs again. */
export function withoutSuspension(state: ModuleState): ModuleState {
  return { ...state, suspendedBy: null, suspendedClient: null, suspendedAt: null };
}

/** A person let it run again: what it did before is forgiven. Code that ended processes stays in quarantine. */
export function withResume(state: ModuleState): ModuleState {
  return { ...withoutSuspension(state), ends: [] };
}

/** A limit was broken or kept. */
export function withViolation(state: ModuleState, violation: RecordedViolation): ModuleState {
  return { ...state, violations: [...state.violations, violation].slice(-MAX_VIOLATIONS) };
}

/** Code of the module ended a process: it is put into a process of its own. */
export function withProcessEnd(
  state: ModuleState,
  violation: RecordedViolation,
  sha256: string | undefined,
): ModuleState {
  const faulty = state.faulty.filter((known) => known !== sha256);
  const all = sha256 === undefined ? faulty : [...faulty, sha256].slice(-MAX_FAULTY_HASHES);
  const counts = violation.version > state.judged;
  return {
    ...withViolation(state, violation),
    faulty: all,
    quarantined: state.active !== null && all.includes(state.active.sha256),
    ends: counts ? [...state.ends, violation.at].slice(-MAX_ENDS) : state.ends,
  };
}

/** Whether code of this name ended processes too often for it to go on. */
export function hasTooManyEnds({ ends }: ModuleState, now: number): boolean {
  return ends.filter((at) => at > now - ENDS_WINDOW_MS).length >= MAX_ENDS;
}
