// Circuit breaker: records what modules do against their limits, and suspends a module whose code ended a process three times
// in five minutes, in whichever version.
import type { AuditAction } from '../auth/audit/audit-entry.ts';
import type { Log } from '../lib/logger.ts';
import type { Incident } from '../sandbox-supervisor/model/sandbox.ts';
import { createAuditThrottle } from './audit-throttle.ts';
import type { DeferredWrites } from './lifecycle/deferred-writes.ts';
import { moduleAuditEntry, modulePath, parseModuleKey } from './model/module-address.ts';
import type { ModuleAddress } from './model/module-types.ts';
import type { ModuleState } from './versions/module-records.ts';
import type { ModuleStates } from './versions/module-states.ts';
import {
  hasTooManyProcessEnds,
  withProcessEnd,
  withSuspension,
  withViolation,
} from './versions/state-transitions.ts';

const ACTIONS = { kill: 'host.killed', crash: 'host.crashed', violation: 'run.violation' } as const;

interface CircuitBreakerDeps {
  readonly states: Pick<ModuleStates, 'get' | 'getState' | 'setState'>;
  readonly writes: Pick<DeferredWrites, 'saveState' | 'recordAudit' | 'flush'>;
  readonly log: Pick<Log, 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

export interface CircuitBreaker {
  onIncident(incident: Incident): void;
  /** Writes the audit entries that were only counted so far. */
  close(): void;
}

export function createCircuitBreaker({ states, writes, log, now }: CircuitBreakerDeps): CircuitBreaker {
  // Few of these are equal: a throttle keeps a thousand equal entries a second from crowding out others.
  const throttle = createAuditThrottle({ now, write: writes.recordAudit });

  const onViolation = (address: ModuleAddress, key: string, { kind, limit, version }: Incident) => {
    const state = states.get(key)?.state;
    // Violations are kept for reviewers as long as the code that caused them is active.
    if (state?.active?.version !== version) return;
    states.setState(withViolation(state, { kind, limit, at: now(), version }));
    writes.saveState(address);
  };

  /** Counts an end of a process against the name of the module: neither other code nor a removal escapes it. */
  const onProcessEnd = (address: ModuleAddress, key: string, incident: Incident) => {
    const { kind, limit, version } = incident;
    const before = states.getState(key);
    const isOfActive = before.active?.version === version;
    const sha256 = incident.sha256 ?? (isOfActive ? before.active?.sha256 : undefined);
    const state = withProcessEnd(before, { kind, limit, at: now(), version }, sha256);
    states.setState(state);
    writes.saveState(address);
    // Unthrottled while the module runs: the third one suspends it.
    if (before.suspendedBy === null) writes.recordAudit(incidentEntry(incident, before));
    else throttle.add(incidentEntry(incident, before));
    const isCounted = state.ends !== before.ends;
    if (isCounted && state.suspendedBy === null && hasTooManyProcessEnds(state, now()))
      suspend(address, state);
  };

  const suspend = (address: ModuleAddress, state: ModuleState) => {
    states.setState(withSuspension(state, { by: 'breaker', at: now() }));
    const hash = state.active?.sha256 ?? null;
    writes.recordAudit(
      moduleAuditEntry({ address, action: 'breaker', clientId: null, before: hash, after: hash }),
    );
    void writes.flush();
    log.warn({ module: state.key }, 'circuit breaker suspended module');
  };

  return {
    onIncident(incident) {
      const { moduleId: key, kind, counts } = incident;
      const address = key === null ? undefined : parseModuleKey(key);
      if (key === null || address === undefined) {
        throttle.add(incidentEntry(incident, key === null ? undefined : states.getState(key)));
        return;
      }
      if (kind !== 'violation' && counts !== false) return onProcessEnd(address, key, incident);
      throttle.add(incidentEntry(incident, states.getState(key)));
      if (kind === 'violation') onViolation(address, key, incident);
    },
    close: () => throttle.flush(),
  };
}

/** The audit entry of an incident, by the path of the module: its code may be gone. */
function incidentEntry(
  { moduleId: key, kind, limit, sha256 }: Incident,
  state: ModuleState | undefined,
): AuditAction {
  const address = key === null ? undefined : parseModuleKey(key);
  const path = address === undefined ? 'sandbox' : modulePath(address);
  const hash = key === null ? null : (sha256 ?? state?.active?.sha256 ?? null);
  return { action: ACTIONS[kind], target: `${path}#${limit}`, clientId: null, before: hash, after: hash };
}
