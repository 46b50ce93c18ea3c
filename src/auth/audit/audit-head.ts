// The newest audit entry, in the database and as this process knows it. If the two differ, or the key has changed, entries that
// say so are written before any other.
import { AppError } from '../../errors/errors.ts';
import type { Log } from '../../lib/logger.ts';
import { type Filter, MATCH_ALL } from '../../stores/filter.ts';
import type { DocumentStore, StoredDocument } from '../../stores/ports.ts';
import {
  AUDIT_NAMESPACE,
  type AuditAction,
  type AuditEntry,
  type AuditKeys,
  auditEntryId,
  auditEntrySequence,
  parseAuditEntry,
} from './audit-entry.ts';

/** The newest entry. */
export type AuditHead = Pick<AuditEntry, 'seq' | 'hash'>;

/** The file `audit.head`: the newest entry that this process wrote, outside the database. */
export interface AuditHeadFile {
  load(): Promise<AuditHead | undefined>;
  save(head: AuditHead): Promise<void>;
}

interface HeadTrackerDeps {
  readonly store: Pick<DocumentStore, 'find'>;
  readonly loadKeys: () => Promise<AuditKeys>;
  readonly headFile: AuditHeadFile;
  readonly log: AuditLogger;
  /** Throw CONFIGURATION_INVALID if the key of the newest entry is unknown. */
  readonly strict: boolean;
}

export type AuditLogger = Pick<Log, 'info' | 'error'>;

interface FoundHead {
  readonly last: AuditEntry | undefined;
  /** Entries to write before any other. */
  readonly due: readonly AuditAction[];
}

const serverAction = (
  action: string,
  hashes: Pick<AuditAction, 'target' | 'before' | 'after'>,
): AuditAction => ({
  actor: null,
  action,
  ...hashes,
});

/** Reads entries, sorted by number. Rejects with the store's StoreError. */
export async function findAuditEntries(
  store: Pick<DocumentStore, 'find'>,
  filter: Filter,
  page: { readonly direction: 1 | -1; readonly limit: number; readonly deadline: number },
): Promise<readonly AuditEntry[]> {
  return (await findDocuments(store, filter, page)).map(parseAuditEntry);
}

function findDocuments(
  store: Pick<DocumentStore, 'find'>,
  filter: Filter,
  { direction, limit, deadline }: Parameters<typeof findAuditEntries>[2],
): Promise<readonly StoredDocument[]> {
  const query = { filter, sort: [['_id', direction]], skip: 0, limit } as const;
  return store.find(AUDIT_NAMESPACE, query, { deadline });
}

/** Compares the newest entry in the database with the one that this process knows. */
export function createHeadTracker({ store, loadKeys, headFile, log, strict }: HeadTrackerDeps) {
  let known: AuditHead | undefined;
  let isLoaded = false;

  const load = async (): Promise<AuditHead | undefined> => {
    if (isLoaded) return known;
    try {
      known = await headFile.load();
    } catch (error) {
      log.error({ err: error }, 'cannot read which audit entry was the newest');
    }
    isLoaded = true;
    return known;
  };

  /** The stored hash under the number of the known entry; null if there is none. */
  const hashAt = async (head: AuditHead, last: AuditEntry | undefined, deadline: number) => {
    if (last === undefined || last.seq < head.seq) return null;
    if (last.seq === head.seq) return last.hash;
    const filter: Filter = {
      kind: 'field',
      path: '_id',
      tests: [{ kind: 'eq', value: auditEntryId(head.seq) }],
    };
    const [entry] = await findAuditEntries(store, filter, { direction: 1, limit: 1, deadline });
    return entry?.hash ?? null;
  };

  const findBreaks = async (last: AuditEntry | undefined, deadline: number): Promise<AuditAction[]> => {
    const head = await load();
    if (head === undefined) return [];
    const found = await hashAt(head, last, deadline);
    if (found === head.hash) return [];
    log.error({ seq: head.seq, newest: last?.seq ?? 0 }, 'audit entries were changed or are missing');
    return [serverAction('audit.broken', { target: `${head.seq}`, before: head.hash, after: found })];
  };

  const keyChanges = async (last: AuditEntry | undefined): Promise<AuditAction[]> => {
    const keys = await loadKeys();
    const { id } = keys.current;
    if (last === undefined || last.key === id) return [];
    const { key } = last;
    if (keys.find(key) === undefined) {
      const message = `the audit log was written with another key (${key}) than that of this process (${id})`;
      if (strict) throw new AppError('CONFIGURATION_INVALID', { field: 'auth.auditKey', message });
      log.error({ seq: last.seq, key, ours: id }, 'the audit log was signed with another key');
    } else log.info({ seq: last.seq, key: id }, 'new audit entries are signed with this key');
    return [serverAction('audit.key', { target: 'audit', before: key, after: id })];
  };

  return {
    /** The newest entry in the database. Rejects with the store's StoreError. */
    async find(deadline: number): Promise<FoundHead> {
      const page = { direction: -1, limit: 1, deadline } as const;
      const [document] = await findDocuments(store, MATCH_ALL, page);
      // The document may not be a valid entry. Its number is in use all the same, so the next one follows from its id.
      const last = document && { ...parseAuditEntry(document), seq: auditEntrySequence(document._id) };
      return { last, due: [...(await keyChanges(last)), ...(await findBreaks(last, deadline))] };
    },
    /** Called once entries up to this one are stored. Never rejects. */
    async advance({ seq, hash }: AuditHead): Promise<void> {
      known = { seq, hash };
      isLoaded = true;
      try {
        await headFile.save(known);
      } catch (error) {
        log.error({ err: error, seq }, 'cannot save the newest audit entry outside the database');
      }
    },
  };
}
