// What modules do against their limits: kept for reviewers, written to the audit log without flooding it, and the circuit
// breaker: a module that killed or crashed a process three times in five minutes is suspended.
import type { AuditAction } from '../../auth/audit-chain.ts';
import { isStoreAway } from '../../errors.ts';
import { createKeyedQueue } from '../../lib/keyed-queue.ts';
import type { ModuleAddress } from '../modules.ts';
import type { Incident } from '../sandbox.ts';
import { keyOf, pathOf } from './address.ts';
import { type Core, inTurn } from './core.ts';
import type { Held } from './shelf.ts';
import { suspended, violated } from './transitions.ts';

const BREAKER_COUNT = 3;
const BREAKER_MS = 300_000;
/** A state that only gained violations is stored after this long. */
const STORE_AFTER_MS = 2000;
/** The same kind of incident of one module is written to the audit log once in this time… */
const NOTE_EVERY_MS = 60_000;
/** …and all of them together so often in it. */
const NOTES_MOST = 60;
/** Entries of the audit log that wait for the store. */
const UNWRITTEN_MOST = 1000;

const ACTIONS = { kill: 'host.killed', crash: 'host.crashed', violation: 'run.violation' } as const;

export interface Incidents {
  onIncident(incident: Incident): void;
  /** Stores the state of a module as it is then, and writes the entry, when the store takes them again. */
  storeLater(address: ModuleAddress, entry: AuditAction): void;
  /** New code, or an admin who resumes: what was counted is forgotten. */
  forgive(key: string): void;
  /** Stores what is not stored yet. */
  close(): Promise<void>;
}

/** Lets a key pass once in a while, and all keys together only so often. */
function createThrottle(now: () => number) {
  const last = new Map<string, number>();
  let since = 0;
  let count = 0;
  return (key: string): boolean => {
    const at = now();
    if (at - since >= NOTE_EVERY_MS) {
      since = at;
      count = 0;
      for (const [known, when] of last) if (at - when >= NOTE_EVERY_MS) last.delete(known);
    }
    if (last.has(key) || count >= NOTES_MOST) return false;
    last.set(key, at);
    count += 1;
    return true;
  };
}

/** Counts what ended a process. True when that was once too often. */
function createBreaker(now: () => number) {
  const times = new Map<string, readonly number[]>();
  return {
    trips(key: string): boolean {
      const recent = [...(times.get(key) ?? []), now()].filter((at) => at > now() - BREAKER_MS);
      times.set(key, recent.slice(-BREAKER_COUNT));
      return recent.length >= BREAKER_COUNT;
    },
    forget: (key: string) => void times.delete(key),
  };
}

/** Writes entries of the audit log in their order, and keeps those that came while the store was away. */
function createBacklog(
  core: Core,
  { isClosing, later }: { readonly isClosing: () => boolean; readonly later: () => void },
) {
  const unwritten: AuditAction[] = [];
  /** Gives false where the store was away and the entry may wait for it. */
  const isWritten = async (entry: AuditAction): Promise<boolean> => {
    try {
      await core.audit.record(entry);
    } catch (error) {
      if (isStoreAway(error) && !isClosing()) return false;
      core.log.error({ err: error, entry }, 'the audit log could not be written');
    }
    return true;
  };

  const write = async (entry: AuditAction): Promise<void> => {
    // Behind those that wait, in its turn.
    if (unwritten.length === 0 && (await isWritten(entry))) return;
    if (unwritten.length < UNWRITTEN_MOST) unwritten.push(entry);
    else core.log.error({ entry }, 'the audit log could not be written');
    later();
  };

  const writeWaiting = async (): Promise<void> => {
    for (let [entry] = unwritten; entry !== undefined; [entry] = unwritten) {
      if (!(await isWritten(entry))) return later();
      unwritten.shift();
    }
  };

  return { write, writeWaiting };
}

/** Stores the states of modules and entries of the audit log behind their backs: at once, or soon. */
function createStorer(core: Core) {
  const waiting = new Map<string, Held['address']>();
  const running = createKeyedQueue();
  let timer: NodeJS.Timeout | undefined;
  let closing = false;

  const flushSoon = () => {
    timer ??= setTimeout(() => void flush(), STORE_AFTER_MS).unref();
  };
  const soon = (key: string, address: Held['address']) => {
    waiting.set(key, address);
    flushSoon();
  };

  const backlog = createBacklog(core, { isClosing: () => closing, later: flushSoon });

  const store = (address: Held['address'], key: string) =>
    inTurn(core, address, async () => {
      if (core.shelf.get(key) !== undefined) await core.records.save(core.shelf.state(key));
    }).catch((error) => {
      if (isStoreAway(error) && !closing) soon(key, address);
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
export function createIncidents(core: Core): Incidents {
  const { shelf, log, now } = core;
  const breaker = createBreaker(now);
  const mayNote = createThrottle(now);
  const storer = createStorer(core);

  const record = ({ address, state }: Held, { kind, limit }: Incident) => {
    // Ends of processes are few, as the third one suspends: violations must not crowd them out.
    const isRare = kind !== 'violation' && state.suspendedBy === null;
    if (!isRare && !mayNote(`${state.key} ${kind} ${limit}`)) return;
    const hash = state.active?.sha256 ?? null;
    const target = `${pathOf(address)}#${limit}`;
    void storer.write({ action: ACTIONS[kind], target, clientId: null, before: hash, after: hash });
  };

  const suspend = ({ address, state }: Held) => {
    shelf.setState(suspended(shelf.state(state.key), 'breaker'));
    const hash = state.active?.sha256 ?? null;
    const action = `${address.kind}.breaker`;
    void storer.write({ action, target: pathOf(address), clientId: null, before: hash, after: hash });
    void storer.flush();
    log.warn({ module: state.key }, 'suspended: it ended processes three times in five minutes');
  };

  return {
    forgive: breaker.forget,
    storeLater(address, entry) {
      storer.soon(keyOf(address), address);
      void storer.write(entry);
    },
    close: storer.close,
    onIncident(incident) {
      const held = shelf.get(incident.unitId);
      // Older code that still ran to its end says nothing of the code that is in force.
      if (held === undefined || held.state.active?.version !== incident.version) return;
      const { kind, limit, version } = incident;
      shelf.setState(violated(held.state, { kind, limit, at: now(), version }));
      storer.soon(incident.unitId, held.address);
      record(held, incident);
      if (kind !== 'violation' && breaker.trips(incident.unitId) && held.state.suspendedBy === null)
        suspend(held);
    },
  };
}
