// The end of the audit log, as the database has it and as this process knows it. Where the two disagree, or the key is
// another one, the next entries say so before anything else is noted.
import { AppError } from '../../errors.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, StoredDocument } from '../../stores/ports.ts';
import {
  AUDIT_NAMESPACE,
  type AuditAction,
  type AuditEntry,
  entryIdOf,
  parseEntry,
  sequenceOf,
} from './audit-entry.ts';
import type { AuditKeys } from './audit-keys.ts';

/** Which entry is the newest one. */
export type AuditHead = Pick<AuditEntry, 'seq' | 'hash'>;

/** Keeps the newest entry that this process wrote, outside the database. */
export interface AuditAnchor {
  load(): Promise<AuditHead | undefined>;
  save(end: AuditHead): Promise<void>;
}

interface EndOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly keys: AuditKeys;
  readonly anchor: AuditAnchor;
  readonly log: AuditLogger;
  /** Refuse to write to a log whose newest entry has a key that is not known here. */
  readonly strict: boolean;
}

export interface AuditLogger {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface Found {
  readonly last: AuditEntry | undefined;
  /** What has to be noted before anything else. */
  readonly due: readonly AuditAction[];
}

const ours = (action: string, hashes: Pick<AuditAction, 'target' | 'before' | 'after'>): AuditAction => ({
  clientId: null,
  action,
  ...hashes,
});

/** Reads entries, sorted by number. Rejects with the store's StoreError. */
export async function findAuditEntries(
  store: Pick<DocumentStore, 'find'>,
  filter: Filter,
  page: { readonly direction: 1 | -1; readonly limit: number; readonly deadline: number },
): Promise<readonly AuditEntry[]> {
  return (await findDocuments(store, filter, page)).map(parseEntry);
}

function findDocuments(
  store: Pick<DocumentStore, 'find'>,
  filter: Filter,
  { direction, limit, deadline }: Parameters<typeof findAuditEntries>[2],
): Promise<readonly StoredDocument[]> {
  const query = { filter, sort: [['_id', direction]], skip: 0, limit } as const;
  return store.find(AUDIT_NAMESPACE, query, { deadline });
}

/** Makes the view of one process on the end of the log. */
export function createAuditHead({ store, keys, anchor, log, strict }: EndOptions) {
  let known: AuditHead | undefined;
  let isLoaded = false;

  const load = async (): Promise<AuditHead | undefined> => {
    if (isLoaded) return known;
    try {
      known = await anchor.load();
    } catch (error) {
      log.error({ err: error }, 'cannot read which audit entry was the newest');
    }
    isLoaded = true;
    return known;
  };

  /** The hash under the number of the entry that is known; null where there is none. */
  const hashAt = async (end: AuditHead, last: AuditEntry | undefined, deadline: number) => {
    if (last === undefined || last.seq < end.seq) return null;
    if (last.seq === end.seq) return last.hash;
    const filter: Filter = { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: entryIdOf(end.seq) }] };
    const [entry] = await findAuditEntries(store, filter, { direction: 1, limit: 1, deadline });
    return entry?.hash ?? null;
  };

  const brokenAt = async (last: AuditEntry | undefined, deadline: number): Promise<AuditAction[]> => {
    const end = await load();
    if (end === undefined) return [];
    const found = await hashAt(end, last, deadline);
    if (found === end.hash) return [];
    log.error({ seq: end.seq, newest: last?.seq ?? 0 }, 'audit entries were changed or are missing');
    return [ours('audit.broken', { target: `${end.seq}`, before: end.hash, after: found })];
  };

  const otherKey = (last: AuditEntry | undefined): AuditAction[] => {
    const { id } = keys.current;
    if (last === undefined || last.key === id) return [];
    const { key = null } = last;
    if (key !== null && keys.find(key) === undefined) {
      const message = `the audit log was written with another key (${key}) than that of this process (${id})`;
      if (strict) throw new AppError('CONFIGURATION_INVALID', { field: 'auth.auditKey', message });
      log.error({ seq: last.seq, key, ours: id }, 'the audit log was signed with another key');
    } else log.info({ seq: last.seq, key: id }, 'new audit entries are signed with this key');
    return [ours('audit.key', { target: 'audit', before: key, after: id })];
  };

  return {
    /** The newest entry, as the database has it. Rejects with the store's StoreError. */
    async find(deadline: number): Promise<Found> {
      const page = { direction: -1, limit: 1, deadline } as const;
      const [document] = await findDocuments(store, MATCH_ALL, page);
      // What stands there may be no entry: a number that is in use can never be written, so the next one follows the id.
      const last = document && { ...parseEntry(document), seq: sequenceOf(document._id) };
      return { last, due: [...otherKey(last), ...(await brokenAt(last, deadline))] };
    },
    /** Entries up to this one are stored. Never rejects. */
    async reached({ seq, hash }: AuditHead): Promise<void> {
      known = { seq, hash };
      isLoaded = true;
      try {
        await anchor.save(known);
      } catch (error) {
        log.error({ err: error, seq }, 'cannot save the newest audit entry outside the database');
      }
    },
  };
}
