// How the state of a module goes on: pure functions, so that a change can be stored first and then be repeated on what holds.
import type { ModuleState, VersionFacts, Violation } from './records.ts';

const VIOLATIONS_KEPT = 20;

/** A version was added that is not in force. */
export function counted(state: ModuleState, version: number): ModuleState {
  return { ...state, last: Math.max(state.last, version) };
}

/** A version waits for a reviewer. */
export function waiting(state: ModuleState, version: number): ModuleState {
  return { ...counted(state, version), pending: [...state.pending, version] };
}

/**
 * A version came into force: what waited before it is overtaken, and what the old code did is forgiven. An admin's
 * suspension stays.
 */
export function activated(state: ModuleState, facts: VersionFacts): ModuleState {
  return {
    ...counted(state, facts.version),
    active: facts,
    policyBy: facts.policy === null ? state.policyBy : facts.clientId,
    broken: null,
    suspendedBy: state.suspendedBy === 'admin' ? 'admin' : null,
    quarantined: false,
    pending: state.pending.filter((version) => version > facts.version),
  };
}

/** The module is gone; its versions stay, and so does an admin's suspension unless an admin removed it. */
export function removed(state: ModuleState, byAdmin: boolean): ModuleState {
  return {
    ...state,
    removedAt: state.last,
    active: null,
    broken: null,
    suspendedBy: byAdmin || state.suspendedBy === 'breaker' ? null : state.suspendedBy,
    quarantined: false,
    pending: [],
    policyBy: null,
    violations: [],
  };
}

/** The module is suspended. The breaker does not take over what an admin suspended. */
export function suspended(state: ModuleState, by: 'admin' | 'breaker'): ModuleState {
  return { ...state, suspendedBy: state.suspendedBy === 'admin' ? 'admin' : by };
}

/** Whoever suspended it, it runs again. */
export function resumed(state: ModuleState): ModuleState {
  return { ...state, suspendedBy: null };
}

/** What ended or threatened a process puts its module into a process of its own. */
export function violated(state: ModuleState, violation: Violation): ModuleState {
  return {
    ...state,
    quarantined: state.quarantined || violation.kind !== 'violation',
    violations: [...state.violations, violation].slice(-VIOLATIONS_KEPT),
  };
}
