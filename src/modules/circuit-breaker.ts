// Circuit breaker: records what modules do against their limits, and suspends a module whose code ended a process, or exhausted
// the heap of an isolate, several times in a short while, in whichever version (`state-transitions.ts` counts). Of a thousand equal
// records a second the audit log gets the first and their number.

import type { AuditAction } from '../auth/audit/audit-entry.ts';
import type { Log } from '../lib/logger.ts';
import type { Incident } from '../sandbox-supervisor/model/sandbox.ts';
import type { DeferredWrites } from './lifecycle/deferred-writes.ts';
import { type ModuleAddress, moduleAuditEntry, modulePath, parseModuleKey } from './model/module-types.ts';
import type { ModuleState } from './versions/module-records.ts';
import type { ModuleStates } from './versions/module-states.ts';
import {
  hasTooManyProcessEnds,
  withProcessEnd,
  withSuspension,
  withViolation,
} from './versions/state-transitions.ts';

/** Entries of one kind are written this far apart. */
const INTERVAL_MS = 60_000;
/** First entries of their kind within the interval; further ones are only counted. */
const MAX_FIRST_ENTRIES = 60;

interface AuditThrottleDeps {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly write: (entry: AuditAction) => void;
}

export interface AuditThrottle {
  /** Counts an entry: those with the same action, target and hashes are of one kind. */
  add(entry: AuditAction): void;
  /** Writes what is only counted so far. */
  flush(): void;
}

interface Counted {
  readonly entry: AuditAction;
  readonly since: number;
  /** Its first entry is written. */
  readonly isWritten: boolean;
  count: number;
}

const withCount = ({ entry, since, isWritten, count }: Counted): AuditAction => ({
  ...entry,
  target: `${entry.target} (${count} ${isWritten ? 'more ' : ''}since ${new Date(since).toISOString()})`,
});

/** Creates the throttle. What is added is written within a minute. */
export function createAuditThrottle({ now, write }: AuditThrottleDeps): AuditThrottle {
  const kinds = new Map<string, Counted>();
  let since = 0;
  let first = 0;
  let timer: NodeJS.Timeout | undefined;

  const writeDue = (isDue: (counted: Counted) => boolean) => {
    for (const [key, counted] of kinds) {
      if (!isDue(counted)) continue;
      kinds.delete(key);
      if (counted.count > 0) write(withCount(counted));
    }
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    writeDue(() => true);
  };

  return {
    flush,
    add(entry) {
      const at = now();
      if (at - since >= INTERVAL_MS) {
        since = at;
        first = 0;
      }
      writeDue((counted) => at - counted.since >= INTERVAL_MS);
      const key = [entry.action, entry.target, entry.before].join(' ');
      const known = kinds.get(key);
      if (known === undefined) {
        const isWritten = first < MAX_FIRST_ENTRIES;
        if (isWritten) write(entry);
        first += 1;
        kinds.set(key, { entry, since: at, isWritten, count: isWritten ? 0 : 1 });
      } else known.count += 1;
      timer ??= setTimeout(flush, INTERVAL_MS).unref();
    },
  };
}

const ACTIONS = { kill: 'host.killed', crash: 'host.crashed', violation: 'run.violation' } as const;

/** Whether it counts towards suspension. */
const isCounted = ({ kind, counts }: Incident) => (kind === 'violation' ? counts === true : counts !== false);

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
  // A throttle: a thousand equal entries a second would crowd out all others.
  const throttle = createAuditThrottle({ now, write: writes.recordAudit });

  const onViolation = (address: ModuleAddress, key: string, { kind, limit, version }: Incident) => {
    const state = states.get(key)?.state;
    // Violations are kept for reviewers as long as the code that caused them is active.
    if (state?.active?.version !== version) return;
    states.setState(withViolation(state, { kind, limit, at: now(), version }));
    writes.saveState(address);
  };

  /** Counts an incident against the name of the module: neither other code nor a removal escapes it. */
  const onCounted = (address: ModuleAddress, key: string, incident: Incident) => {
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
    const isNewEnd = state.ends !== before.ends;
    if (isNewEnd && state.suspendedBy === null && hasTooManyProcessEnds(state, now()))
      suspend(address, state);
  };

  const suspend = (address: ModuleAddress, state: ModuleState) => {
    const suspension = { by: 'breaker', at: now() } as const;
    states.setState(withSuspension(state, suspension));
    writes.saveState(address, suspension);
    const hash = state.active?.sha256 ?? null;
    writes.recordAudit(
      moduleAuditEntry({ address, action: 'breaker', actor: null, before: hash, after: hash }),
    );
    void writes.flush();
    log.warn({ module: state.key }, 'circuit breaker suspended module');
  };

  return {
    onIncident(incident) {
      const { moduleId: key, kind } = incident;
      const address = key === null ? undefined : parseModuleKey(key);
      if (key === null || address === undefined) {
        throttle.add(incidentEntry(incident, key === null ? undefined : states.getState(key)));
        return;
      }
      if (isCounted(incident)) return onCounted(address, key, incident);
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
  return { action: ACTIONS[kind], target: `${path}#${limit}`, actor: null, before: hash, after: hash };
}
