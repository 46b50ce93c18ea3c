// What admins did: an append-only log in which each entry carries the hash of the one before it.
import { StoreError } from '../errors.ts';
import { fingerprint } from '../lib/fingerprint.ts';
import { createKeyedQueue } from '../lib/keyed-queue.ts';
import { EVERYTHING, type Filter } from '../stores/filter.ts';
import type { DocumentStore, Namespace, OperationOptions, StoredDocument } from '../stores/ports.ts';

/** Where the log lives: no path over HTTP reaches it. */
const AUDIT: Namespace = { database: null, collection: 'cloister.audit' };
const BEGINNING = '0'.repeat(64);

export interface AuditAction {
  /** Who: null for nobody known. */
  readonly clientId: string | null;
  /** What was done, such as `specification.create`. */
  readonly action: string;
  /** To what: a path or a client id. */
  readonly target: string;
  /** SHA-256 of the target's text before and after; null where there was or is none. */
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditEntry extends AuditAction {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** The hash of the entry before. */
  readonly previous: string;
  /** SHA-256 of the JSON array of all members above, in the order `previous`, `seq`, `at`, `clientId` to `after`. */
  readonly hash: string;
}

export interface Audit {
  /**
   * Appends an entry, within `queryMs` unless a deadline is given. It is durable when this resolves. Rejects with the
   * store's StoreError.
   */
  record(action: AuditAction, options?: OperationOptions): Promise<void>;
  /** At most `limit` entries with a greater number than `after`, oldest first. */
  read(after: number, limit: number, options?: OperationOptions): Promise<readonly AuditEntry[]>;
}

interface AuditOptions {
  readonly store: Pick<DocumentStore, 'find' | 'commit'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Bound of one entry with its wait for those before it, in milliseconds. */
  readonly queryMs: number;
}

// Of two processes that append the same number only one can: the number is the id.
const idOf = (seq: number) => seq.toString(16).padStart(24, '0');

function entryAfter(last: AuditEntry | undefined, action: AuditAction, at: number): AuditEntry {
  const { clientId, action: what, target, before, after } = action;
  const seq = (last?.seq ?? 0) + 1;
  const previous = last?.hash ?? BEGINNING;
  const hash = fingerprint(JSON.stringify([previous, seq, at, clientId, what, target, before, after]));
  return { seq, at, clientId, action: what, target, before, after, previous, hash };
}

function toEntry({ _id, v, ...entry }: StoredDocument): AuditEntry {
  return entry as unknown as AuditEntry;
}

export function createAudit({ store, now, queryMs }: AuditOptions): Audit {
  const queue = createKeyedQueue();
  const last = async (deadline: number): Promise<AuditEntry | undefined> => {
    const query = { filter: EVERYTHING, sort: [['_id', -1]], skip: 0, limit: 1 } as const;
    const [document] = await store.find(AUDIT, query, { deadline });
    return document && toEntry(document);
  };

  const append = async (action: AuditAction, deadline: number): Promise<void> => {
    const entry = entryAfter(await last(deadline), action, now());
    const document: StoredDocument = { ...entry, v: 1, _id: idOf(entry.seq) };
    await store.commit([{ kind: 'insert', ns: AUDIT, document }], { deadline });
  };

  // Whoever loses a race lost it to an entry that was written: time, not a count of losses, is what bounds it.
  const appendInTurn = async (action: AuditAction, deadline: number): Promise<void> => {
    for (;;) {
      if (now() >= deadline) throw new StoreError('timeout');
      try {
        return await append(action, deadline);
      } catch (error) {
        const taken =
          error instanceof StoreError && (error.reason === 'duplicate' || error.reason === 'conflict');
        if (!taken) throw error;
        if (now() >= deadline) throw new StoreError('busy', { cause: error });
      }
    }
  };

  return {
    record(action, options = {}) {
      // Counted from here: many who wait behind one that hangs must not hang in turn.
      const { deadline = now() + queryMs } = options;
      return queue.run('', () => appendInTurn(action, deadline));
    },
    async read(after, limit, { deadline = now() + queryMs } = {}) {
      const filter: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'gt', value: idOf(after) }] };
      const query = { filter, sort: [['_id', 1]], skip: 0, limit } as const;
      return (await store.find(AUDIT, query, { deadline })).map(toEntry);
    },
  };
}
