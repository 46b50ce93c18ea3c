// Writes that wait for the store: states of modules that only gained violations, and audit entries. Both are kept in memory
// while the store is unavailable and written when it is back.
import type { Audit } from '../../auth/audit/audit.ts';
import type { AuditAction } from '../../auth/audit/audit-entry.ts';
import { isStoreUnavailable } from '../../errors/errors.ts';
import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import type { Log } from '../../lib/logger.ts';
import { type ModuleAddress, moduleKey } from '../model/module-types.ts';
import type { ModuleRecords, ModuleState } from '../versions/module-records.ts';
import type { ModuleLocks, ModuleStates } from '../versions/module-states.ts';
import { type SuspensionInput, withIncidentsOf, withSuspension } from '../versions/state-transitions.ts';

/** Milliseconds after which deferred states are stored. */
const FLUSH_AFTER_MS = 2000;
/** Audit entries that wait for the store. */
const MAX_UNWRITTEN = 1000;

interface DeferredWritesDeps {
  readonly states: Pick<ModuleStates, 'getState'>;
  readonly records: Pick<ModuleRecords, 'saveState'>;
  readonly audit: Pick<Audit, 'record'>;
  readonly locks: Pick<ModuleLocks, 'withModule'>;
  readonly log: Pick<Log, 'error'>;
}

interface WaitingState {
  readonly address: ModuleAddress;
  readonly suspension: SuspensionInput | undefined;
}

export interface DeferredWrites {
  /** Stores the state of a module, as it is then, within two seconds. `suspension`: one that is part of it, and not stored yet. */
  saveState(address: ModuleAddress, suspension?: SuspensionInput): void;
  /** The stored state of a module, with what waits to be stored of the one in memory. */
  withUnsaved(stored: ModuleState): ModuleState;
  /** Writes an audit entry: now, or once the store takes it. Entries keep their order. */
  recordAudit(entry: AuditAction): void;
  /** Stores at once what waits. */
  flush(): Promise<void>;
  /** Stores what waits. Logs what cannot be stored, as nothing waits longer. */
  close(): Promise<void>;
}

export function createDeferredWrites(deps: DeferredWritesDeps): DeferredWrites {
  const { states, records, locks, log } = deps;
  const waiting = new Map<string, WaitingState>();
  const flushes = createKeyedMutex();
  let timer: NodeJS.Timeout | undefined;
  let isClosing = false;

  const scheduleFlush = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref();
  };
  const saveState = (address: ModuleAddress, suspension?: SuspensionInput) => {
    const key = moduleKey(address);
    const before = waiting.get(key)?.suspension;
    waiting.set(key, { address, suspension: suspension ?? before });
    scheduleFlush();
  };
  const backlog = createAuditBacklog(deps, { isClosing: () => isClosing, scheduleFlush });

  /** Under the lock the state has what other processes stored, and what waits here. */
  const store = ({ address, suspension }: WaitingState, key: string) =>
    locks
      .withModule(address, async () => {
        waiting.delete(key);
        if (states.getState(key).last > 0) await records.saveState(states.getState(key));
      })
      .catch((error) => {
        if (isStoreUnavailable(error) && !isClosing) saveState(address, suspension);
        else log.error({ err: error, module: key }, 'could not store module state');
      });

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    return flushes.withLock('', async () => {
      for (const [key, state] of [...waiting]) await store(state, key);
      await backlog.writeWaiting();
    });
  };

  return {
    saveState,
    withUnsaved(stored) {
      const unsaved = waiting.get(stored.key);
      if (unsaved === undefined) return stored;
      const counted = withIncidentsOf(stored, states.getState(stored.key));
      return unsaved.suspension === undefined ? counted : withSuspension(counted, unsaved.suspension);
    },
    recordAudit: (entry) => void backlog.write(entry),
    flush,
    close() {
      isClosing = true;
      return flush();
    },
  };
}

interface BacklogOptions {
  readonly isClosing: () => boolean;
  readonly scheduleFlush: () => void;
}

/** Writes audit entries in their order, and keeps those that come while the store is unavailable. */
function createAuditBacklog(
  { audit, log }: Pick<DeferredWritesDeps, 'audit' | 'log'>,
  { isClosing, scheduleFlush }: BacklogOptions,
) {
  const unwritten: AuditAction[] = [];
  // An entry that fails must not end up behind a later one that does not.
  const inOrder = createKeyedMutex();

  /** Resolves to false where the store is unavailable and the entry may wait for it. */
  const tryWrite = async (entry: AuditAction): Promise<boolean> => {
    try {
      await audit.record(entry);
    } catch (error) {
      if (isStoreUnavailable(error) && !isClosing()) return false;
      log.error({ err: error, entry }, 'could not write audit entry');
    }
    return true;
  };

  const writeOne = async (entry: AuditAction): Promise<void> => {
    if (unwritten.length === 0 && (await tryWrite(entry))) return;
    if (unwritten.length < MAX_UNWRITTEN) unwritten.push(entry);
    else log.error({ entry }, 'could not write audit entry');
    scheduleFlush();
  };

  const writeAll = async (): Promise<void> => {
    for (let [entry] = unwritten; entry !== undefined; [entry] = unwritten) {
      if (!(await tryWrite(entry))) return scheduleFlush();
      unwritten.shift();
    }
  };

  return {
    write: (entry: AuditAction) => inOrder.withLock('', () => writeOne(entry)),
    writeWaiting: () => inOrder.withLock('', writeAll),
  };
}
