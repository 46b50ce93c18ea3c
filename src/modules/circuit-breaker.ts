// What modules do against their limits: kept for reviewers, written to the audit log without flooding it, and the circuit
// breaker: a module whose code ended a process three times in five minutes is suspended, whichever version it was.
import type { AuditAction } from '../auth/audit/audit-entry.ts';
import { isStoreUnavailable } from '../errors.ts';
import { createKeyedMutex } from '../lib/async/keyed-mutex.ts';
import type { Incident } from '../sandbox-supervisor/sandbox.ts';
import { createAuditThrottle } from './audit-throttle.ts';
import { type LifecycleDeps, moduleAuditEntry, withModuleLock } from './lifecycle/lifecycle-deps.ts';
import { moduleKey, modulePath, parseModuleKey } from './model/address.ts';
import type { ModuleAddress } from './model/types.ts';
import type { ModuleState } from './versions/module-records.ts';
import type { ModuleEntry } from './versions/module-states.ts';
import {
  hasTooManyEnds,
  withProcessEnd,
  withSuspension,
  withViolation,
} from './versions/state-transitions.ts';

/** A state that only gained violations is stored after this long. */
const STORE_AFTER_MS = 2000;
/** Entries of the audit log that wait for the store. */
const MAX_UNWRITTEN = 1000;

const ACTIONS = { kill: 'host.killed', crash: 'host.crashed', violation: 'run.violation' } as const;

export interface CircuitBreaker {
  onIncident(incident: Incident): void;
  /** Stores the state of a module as it is then, and writes the entry, when the store takes them again. */
  storeLater(address: ModuleAddress, entry: AuditAction): void;
  /** Stores what is not stored yet. */
  close(): Promise<void>;
}

/** Writes entries of the audit log in their order, and keeps those that came while the store was away. */
function createAuditBacklog(
  core: LifecycleDeps,
  { isClosing, later }: { readonly isClosing: () => boolean; readonly later: () => void },
) {
  const unwritten: AuditAction[] = [];
  // One that fails must not come behind a later one that does not.
  const inOrder = createKeyedMutex();
  /** Gives false where the store was away and the entry may wait for it. */
  const isWritten = async (entry: AuditAction): Promise<boolean> => {
    try {
      await core.audit.record(entry);
    } catch (error) {
      if (isStoreUnavailable(error) && !isClosing()) return false;
      core.log.error({ err: error, entry }, 'the audit log could not be written');
    }
    return true;
  };

  const writeOne = async (entry: AuditAction): Promise<void> => {
    // Behind those that wait, in its turn.
    if (unwritten.length === 0 && (await isWritten(entry))) return;
    if (unwritten.length < MAX_UNWRITTEN) unwritten.push(entry);
    else core.log.error({ entry }, 'the audit log could not be written');
    later();
  };

  const writeAll = async (): Promise<void> => {
    for (let [entry] = unwritten; entry !== undefined; [entry] = unwritten) {
      if (!(await isWritten(entry))) return later();
      unwritten.shift();
    }
  };

  return {
    write: (entry: AuditAction) => inOrder.run('', () => writeOne(entry)),
    writeWaiting: () => inOrder.run('', writeAll),
  };
}

/** Stores the states of modules and entries of the audit log behind their backs: at once, or soon. */
function createStateSaver(core: LifecycleDeps) {
  const waiting = new Map<string, ModuleEntry['address']>();
  const running = createKeyedMutex();
  let timer: NodeJS.Timeout | undefined;
  let closing = false;

  const flushSoon = () => {
    timer ??= setTimeout(() => void flush(), STORE_AFTER_MS).unref();
  };
  const soon = (key: string, address: ModuleEntry['address']) => {
    waiting.set(key, address);
    flushSoon();
  };

  const backlog = createAuditBacklog(core, { isClosing: () => closing, later: flushSoon });

  const store = (address: ModuleEntry['address'], key: string) =>
    withModuleLock(core, address, async () => {
      if (core.shelf.getState(key).last > 0) await core.records.saveState(core.shelf.getState(key));
    }).catch((error) => {
      if (isStoreUnavailable(error) && !closing) soon(key, address);
      else core.log.error({ err: error, module: key }, 'what a module did could not be stored');
    });

  const storeAll = async () => {
    const batch = [...waiting];
    waiting.clear();
    for (const [key, address] of batch) await store(address, key);
    await backlog.writeWaiting();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    return running.run('', storeAll);
  };

  return {
    flush,
    soon,
    write: backlog.write,
    /** Stores what is waiting, or says that it is lost. */
    close(): Promise<void> {
      closing = true;
      return flush();
    },
  };
}

/** Makes the circuit breaker and the record of what modules did. */
export function createCircuitBreaker(core: LifecycleDeps): CircuitBreaker {
  const { shelf, log, now } = core;
  const storer = createStateSaver(core);
  const write = (entry: AuditAction) => void storer.write(entry);
  const tally = createAuditThrottle({ now, write });

  /** Whose it was, by the address: the code may be gone. */
  const entryOfIncident = (incident: Incident): AuditAction => {
    const { unitId, kind, limit, sha256 } = incident;
    const address = unitId === null ? undefined : parseModuleKey(unitId);
    const place = address === undefined ? 'sandbox' : modulePath(address);
    const { active = null } = unitId === null ? {} : shelf.getState(unitId);
    const hash = unitId === null ? null : (sha256 ?? active?.sha256 ?? null);
    return { action: ACTIONS[kind], target: `${place}#${limit}`, clientId: null, before: hash, after: hash };
  };

  const suspend = (address: ModuleAddress, state: ModuleState) => {
    shelf.setState(withSuspension(state, { by: 'breaker', at: now() }));
    const hash = state.active?.sha256 ?? null;
    write(moduleAuditEntry({ address, action: 'breaker', clientId: null, before: hash, after: hash }));
    void storer.flush();
    log.warn({ module: state.key }, 'suspended: it ended processes three times in five minutes');
  };

  /** An end that counts: against the name, so that neither other code nor a removal escapes it. */
  const onEnd = (unitId: string, address: ModuleAddress, incident: Incident) => {
    const { kind, limit, version } = incident;
    const before = shelf.getState(unitId);
    const isOfActive = before.active?.version === version;
    const sha256 = incident.sha256 ?? (isOfActive ? before.active?.sha256 : undefined);
    const state = withProcessEnd(before, { kind, limit, at: now(), version }, sha256);
    shelf.setState(state);
    storer.soon(unitId, address);
    // These are few, as the third one suspends.
    if (before.suspendedBy === null) write(entryOfIncident(incident));
    else tally.add(entryOfIncident(incident));
    const isNew = state.ends !== before.ends;
    if (isNew && state.suspendedBy === null && hasTooManyEnds(state, now())) suspend(address, state);
  };

  return {
    storeLater(address, entry) {
      storer.soon(moduleKey(address), address);
      write(entry);
    },
    close() {
      tally.flush();
      return storer.close();
    },
    onIncident(incident) {
      const { unitId, kind, limit, version, counts } = incident;
      const address = unitId === null ? undefined : parseModuleKey(unitId);
      if (unitId === null || address === undefined) return tally.add(entryOfIncident(incident));
      if (kind !== 'violation' && counts !== false) return onEnd(unitId, address, incident);
      tally.add(entryOfIncident(incident));
      const held = shelf.get(unitId);
      // What code did against its limits is kept as long as it is in force.
      if (kind !== 'violation' || held?.state.active?.version !== version) return;
      shelf.setState(withViolation(held.state, { kind, limit, at: now(), version }));
      storer.soon(unitId, held.address);
    },
  };
}
