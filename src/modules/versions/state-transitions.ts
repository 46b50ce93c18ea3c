// Pure state transitions of a module. Applied twice: to the state that is saved, then to the in-memory state after the save.
import type { ModuleState, RecordedViolation, SuspendedBy, VersionRecord } from './module-records.ts';

const MAX_VIOLATIONS = 20;
const MAX_FAULTY_HASHES = 100;
/**
 * Ends within a window of time that suspend a module: of processes, and of isolates that one request had for itself. A module that
 * ends either at each request would answer 502 for ever.
 */
const MAX_PROCESS_ENDS = 3;
const ENDS_WINDOW_MS = 300_000;

/** Counts a version that is not active. */
export function withVersion(state: ModuleState, version: number): ModuleState {
  return { ...state, last: Math.max(state.last, version) };
}

/** Adds a version that waits for a reviewer. */
export function withPendingVersion(state: ModuleState, version: number): ModuleState {
  return { ...withVersion(state, version), pending: [...state.pending, version] };
}

/** Takes a version that waits out of the list: it never becomes active. What is active goes on. */
export function withRefusedVersion(state: ModuleState, version: number): ModuleState {
  const pending = state.pending.filter((one) => one !== version);
  return { ...state, refused: Math.max(state.refused, version), pending };
}

/** No version was ever active since the module was posted: one waits for a reviewer, or was refused. */
export function isUnpublished({ active, pending, refused, removedAt }: ModuleState): boolean {
  return active === null && (pending.length > 0 || refused > removedAt);
}

/**
 * Activates a version: older pending versions are dropped. Code that has caused no end under this name lifts a suspension of
 * the circuit breaker, and later ends of older versions do not count against it; the suspension of a person stays.
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

/** Removes the module. Its versions stay, and so do its suspension and the hashes of faulty code. */
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

export interface SuspensionInput {
  readonly by: SuspendedBy;
  /** The admin. */
  readonly clientId?: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

const SUSPENSION_RANK: Readonly<Record<SuspendedBy, number>> = { breaker: 1, admin: 2, operator: 3 };

/** Suspends the module. The first suspension stays, unless an admin follows the circuit breaker, or the operator anyone. */
export function withSuspension(state: ModuleState, { by, clientId, at }: SuspensionInput): ModuleState {
  if (state.suspendedBy !== null && SUSPENSION_RANK[state.suspendedBy] >= SUSPENSION_RANK[by]) return state;
  return { ...state, suspendedBy: by, suspendedClient: clientId ?? null, suspendedAt: at };
}

/** Lifts a suspension, whoever ordered it. */
export function withoutSuspension(state: ModuleState): ModuleState {
  return { ...state, suspendedBy: null, suspendedClient: null, suspendedAt: null };
}

/** Lifts a suspension by a person and resets the circuit breaker. Code that caused ends stays in quarantine. */
export function withResume(state: ModuleState): ModuleState {
  return { ...withoutSuspension(state), ends: [] };
}

/** Adds a violation. */
export function withViolation(state: ModuleState, violation: RecordedViolation): ModuleState {
  return { ...state, violations: [...state.violations, violation].slice(-MAX_VIOLATIONS) };
}

/** Counts an end of a process, or of an isolate that one request had for itself: the code is put in quarantine, in a process of its own. */
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
    ends: counts ? [...state.ends, violation.at].slice(-MAX_PROCESS_ENDS) : state.ends,
  };
}

/** The stored state with what this process has counted since and not stored yet: incidents, never a suspension. */
export function withIncidentsOf(stored: ModuleState, counted: ModuleState): ModuleState {
  const isKnown = ({ at, limit }: RecordedViolation) =>
    stored.violations.some((violation) => violation.at === at && violation.limit === limit);
  const since = counted.violations.filter((violation) => !isKnown(violation));
  const violations = [...stored.violations, ...since].sort((a, b) => a.at - b.at).slice(-MAX_VIOLATIONS);
  const faulty = [...new Set([...stored.faulty, ...counted.faulty])].slice(-MAX_FAULTY_HASHES);
  return {
    ...stored,
    violations,
    faulty,
    quarantined: stored.active !== null && faulty.includes(stored.active.sha256),
    ends: [...new Set([...stored.ends, ...counted.ends])].sort((a, b) => a - b).slice(-MAX_PROCESS_ENDS),
  };
}

/** Whether the circuit breaker has to suspend the module. */
export function hasTooManyProcessEnds({ ends }: ModuleState, now: number): boolean {
  return ends.filter((at) => at > now - ENDS_WINDOW_MS).length >= MAX_PROCESS_ENDS;
}
