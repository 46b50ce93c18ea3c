// The audit log: an append-only record of what admins change. An entry is written before its change, or in one commit with it.
import { isStoreUnavailable, StoreError } from '../../errors/errors.ts';
import { createKeyedMutex } from '../../lib/async/concurrency.ts';
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, OperationOptions, Write } from '../../stores/ports.ts';
import {
  type AuditAction,
  type AuditEntry,
  auditEntryId,
  auditEntryInsert,
  createAuditEntries,
} from './audit-entry.ts';
import type { AuditFolder } from './audit-folder.ts';
import { type AuditLogger, createHeadTracker, findAuditEntries } from './audit-head.ts';
import { type AuditSearch, auditFilter } from './audit-search.ts';
import { type AuditReport, verifyAudit } from './audit-verify.ts';

interface AuditPage {
  readonly newestFirst: boolean;
  readonly limit: number;
}

interface RecordChangeOptions extends OperationOptions {
  readonly writes?: readonly Write[];
}

export interface Audit {
  /**
   * Appends an entry, or several in one commit, within `queryMs` unless a deadline is given. It is durable when this
   * resolves. Rejects with the store's StoreError.
   */
  record(action: AuditAction | readonly AuditAction[], options?: OperationOptions): Promise<void>;
  /**
   * Commits `writes` together with their entry, all or nothing. Rejects like the commit of the store: `index` counts
   * `writes` only. A store without transactions may keep the entry of writes that it refused: then another entry,
   * `<action>.failed`, follows.
   */
  commit(action: AuditAction, writes: readonly Write[], options?: OperationOptions): Promise<void>;
  /**
   * Appends an entry, in one commit with `writes` that bring nothing into force yet, then runs `change`. Where the entry
   * cannot be written, nothing is changed. Where `change` fails, another entry, `<action>.failed`, follows.
   */
  recordChange<T>(action: AuditAction, change: () => Promise<T>, options?: RecordChangeOptions): Promise<T>;
  /**
   * Compares the head of the log with the known one, logs a difference, and records it in an entry. Rejects with the
   * store's StoreError.
   */
  check(): Promise<void>;
  /** At most `limit` entries that somebody looks for. */
  search(search: AuditSearch, page: AuditPage, options?: OperationOptions): Promise<readonly AuditEntry[]>;
  /** Verifies `limit` entries after the number `after`, and the end of the log where there are fewer. */
  verify(range: { readonly after: number; readonly limit: number }): Promise<AuditReport>;
  /** Entries about changes that failed, which are not written yet. */
  pending(): number;
  /** At most `limit` entries with a greater number than `after`, oldest first. */
  read(after: number, limit: number, options?: OperationOptions): Promise<readonly AuditEntry[]>;
}

interface AuditOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of one entry, its wait for those before it included, in milliseconds. */
  readonly queryMs: number;
  readonly log: AuditLogger;
  /** The keys, and the copy of the newest entry outside the database. */
  readonly folder: AuditFolder;
  /** Throw CONFIGURATION_INVALID if the key of the newest entry is unknown. */
  readonly strict?: boolean;
}

/** An entry to be written later. */
interface PendingEntry {
  readonly action: AuditAction;
  /** Written only if this entry is in the log: its commit failed, and it is unknown whether it was stored. */
  readonly of?: AuditEntry;
}

const MAX_PENDING = 1000;

/** A number that is taken this often in a row, while no entry with it is found, is not another process's work. */
const MAX_TAKEN_IN_A_ROW = 1000;

const failureOf = (action: AuditAction): AuditAction => ({ ...action, action: `${action.action}.failed` });

/** One attempt to write entries with the writes behind them. */
interface Attempt {
  readonly entries: readonly AuditEntry[];
  readonly failure?: StoreError;
}

/** True if another process took the number of an entry. A failure that names no write is one of the writes, if there are any. */
function isLostRace({ entries, failure }: Attempt, writes: readonly Write[]): boolean {
  if (failure === undefined) return false;
  const isOfEntry = failure.index === undefined ? writes.length === 0 : failure.index < entries.length;
  if (!isOfEntry) return false;
  return failure.reason === 'duplicate' || failure.reason === 'conflict';
}

/** The same failure, with `index` counted from the first write after the entries. */
function withIndexOfWrites(failure: StoreError, entries: number): StoreError {
  const { reason, index, fields, explanation, cause } = failure;
  const shifted = index === undefined || index < entries ? {} : { index: index - entries };
  return new StoreError(reason, {
    ...shifted,
    fields,
    ...(explanation !== undefined && { explanation }),
    cause,
  });
}

/** Creates the log. Entries of one process are written one after the other. */
export function createAudit({ store, now, queryMs, log, folder, strict = false }: AuditOptions): Audit {
  const { loadKeys, headFile } = folder;
  const queue = createKeyedMutex();
  const tracker = createHeadTracker({ store, loadKeys, headFile, log, strict });
  const pending: PendingEntry[] = [];

  const enqueue = (entry: PendingEntry) => {
    if (pending.length < MAX_PENDING) pending.push(entry);
    else log.error({ action: entry.action }, 'audit entry dropped: too many are pending');
  };

  const find = (filter: Filter, page: { limit: number; deadline: number }) =>
    findAuditEntries(store, filter, { direction: 1, ...page });

  /** The actions of entries without a condition, and of those whose `of` is in the log. */
  const dueActions = async (
    entries: readonly PendingEntry[],
    deadline: number,
  ): Promise<readonly AuditAction[]> => {
    // While the store rejects entry after entry, all of them have the same number.
    const values = [...new Set(entries.flatMap(({ of }) => (of === undefined ? [] : auditEntryId(of.seq))))];
    const filter: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'in', values }] };
    const stored = values.length === 0 ? [] : await find(filter, { limit: values.length, deadline });
    const hashes = new Set(stored.map(({ hash }) => hash));
    const due = entries.filter(({ of }) => of === undefined || hashes.has(of.hash));
    return due.map(({ action }) => action);
  };

  const attempt = async (
    actions: readonly AuditAction[],
    writes: readonly Write[],
    deadline: number,
  ): Promise<Attempt> => {
    const taken = pending.length;
    const late = await dueActions(pending.slice(0, taken), deadline);
    const { last, due } = await tracker.find(deadline);
    const { current: key } = await loadKeys();
    const entries = createAuditEntries(last, [...due, ...late, ...actions], { at: now(), key });
    const all = [...entries.map(auditEntryInsert), ...writes];
    try {
      if (all.length > 0) await store.commit(all, { deadline });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { entries, failure: error };
    }
    pending.splice(0, taken);
    const newest = entries.at(-1);
    if (newest !== undefined) await tracker.advance(newest);
    return { entries };
  };

  /**
   * Writes the pending entries, those for `actions`, and `writes`, in one commit. Retries when another process was faster.
   * Throws `damaged` where the newest entry is stored and cannot be found.
   */
  const append: typeof attempt = async (actions, writes, deadline) => {
    let taken = { seq: 0, times: 0 };
    // Each lost race means that another process wrote an entry, so a deadline bounds the loop rather than a number of attempts.
    for (;;) {
      if (now() >= deadline) throw new StoreError('timeout');
      const attempted = await attempt(actions, writes, deadline);
      if (!isLostRace(attempted, writes)) return attempted;
      const seq = attempted.entries[0]?.seq ?? 0;
      taken = { seq, times: seq === taken.seq ? taken.times + 1 : 1 };
      if (taken.times === MAX_TAKEN_IN_A_ROW) throw new StoreError('damaged', { cause: attempted.failure });
      if (now() >= deadline) throw new StoreError('busy', { cause: attempted.failure });
    }
  };

  /** Writes the pending entries. Those that cannot be written now are written before the next entry. */
  const writePending = async (): Promise<void> => {
    try {
      const { failure } = await append([], [], now() + queryMs);
      if (failure !== undefined) throw failure;
    } catch (error) {
      const { action } = pending.at(-1) ?? {};
      log.error(
        { err: error, action, pending: pending.length },
        'cannot write to the audit log that a change failed; retried with the next entry',
      );
    }
  };

  /** `mayBeFalse`: whether, after this failure, a stored entry would report a change that was not made. */
  const commit = async (
    { action, writes, deadline }: { action: AuditAction; writes: readonly Write[]; deadline: number },
    mayBeFalse: (failure: StoreError) => boolean,
  ): Promise<void> => {
    const { entries, failure } = await append([action], writes, deadline);
    if (failure === undefined) return;
    const entry = entries.at(-1);
    if (entry !== undefined && mayBeFalse(failure)) {
      enqueue({ action: failureOf(action), of: entry });
      // A store that is away cannot say what it holds.
      if (!isStoreUnavailable(failure)) await writePending();
    }
    throw withIndexOfWrites(failure, entries.length);
  };

  /** Appends `<action>.failed`, at once or when the store is back. Never rejects. */
  const failed = (action: AuditAction): Promise<void> =>
    queue.withLock('', () => {
      enqueue({ action: failureOf(action) });
      return writePending();
    });

  // The time in the queue counts, so that the entries behind a slow one do not each wait for the full time.
  const until = ({ deadline = now() + queryMs }: OperationOptions = {}) => deadline;

  return {
    record(action, options) {
      const deadline = until(options);
      return queue.withLock('', async () => {
        const { entries, failure } = await append([action].flat(), [], deadline);
        if (failure !== undefined) throw withIndexOfWrites(failure, entries.length);
      });
    },
    commit(action, writes, options) {
      const deadline = until(options);
      // While the store is away the outcome is unknown: an entry that was stored means that the writes may be stored too.
      return queue.withLock('', () =>
        commit({ action, writes, deadline }, (failure) => !isStoreUnavailable(failure)),
      );
    },
    async recordChange(action, change, options = {}) {
      const { writes = [] } = options;
      const deadline = until(options);
      await queue.withLock('', () => commit({ action, writes, deadline }, () => true));
      try {
        return await change();
      } catch (error) {
        await failed(action);
        throw error;
      }
    },
    check: () =>
      queue.withLock('', async () => {
        const { failure } = await append([], [], until());
        if (failure !== undefined) throw failure;
      }),
    pending: () => pending.length,
    read: (after, limit, options) => find(auditFilter({ after }), { limit, deadline: until(options) }),
    search: (search, { newestFirst, limit }, options) =>
      findAuditEntries(store, auditFilter(search), {
        direction: newestFirst ? -1 : 1,
        limit,
        deadline: until(options),
      }),
    async verify({ after, limit }) {
      const keys = await loadKeys();
      return verifyAudit({ store, keys, headFile, after, limit, now, queryMs });
    },
  };
}
