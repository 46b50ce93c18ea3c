// Verifies the audit log: every entry is signed and follows the previous one, and none is missing.
import { AppError } from '../../errors/errors.ts';
import type { Filter } from '../../stores/filter.ts';
import type { DocumentStore, StoredDocument } from '../../stores/ports.ts';
import {
  AUDIT_NAMESPACE,
  type AuditEntry,
  type AuditKeys,
  auditEntryHash,
  auditEntryId,
  auditEntrySequence,
  GENESIS_HASH,
  parseAuditEntry,
} from './audit-entry.ts';
import type { AuditHead, AuditHeadFile } from './audit-head.ts';

const PAGE_SIZE = 500;

/** `changed`: the members differ from those that were signed, or have no signature. `noted`: an entry says that the log was broken before it. */
type AuditIssueKind = 'changed' | 'missing' | 'moved' | 'replaced' | 'truncated' | 'noted';

export interface AuditIssue {
  readonly kind: AuditIssueKind;
  /** Number of the first invalid or missing entry. */
  readonly seq: number;
  /** The entry found there. */
  readonly entry?: AuditEntry;
  /** Number of the last missing entry. */
  readonly to?: number;
}

export interface AuditReport {
  /** Valid entries. */
  readonly count: number;
  readonly first: AuditEntry | undefined;
  readonly last: AuditEntry | undefined;
  /** Ids of the keys that signed entries, in the order of their first use. */
  readonly keys: readonly string[];
  /** True if the number of entries is known from outside the database. */
  readonly isAnchored: boolean;
  /** The first issue. */
  readonly issue: AuditIssue | undefined;
  /** The first entry whose key is unknown. Nothing after it was verified. */
  readonly unknownKey: { readonly id: string; readonly seq: number } | undefined;
}

interface VerifyOptions {
  readonly store: Pick<DocumentStore, 'find'>;
  /** Undefined if there are none. */
  readonly keys: AuditKeys | undefined;
  readonly headFile: AuditHeadFile;
  /** Number of a trusted entry; 0 verifies from the first one. */
  readonly after: number;
  /** Entries after which it stops, before the end of the log is looked at; all of them unless given. */
  readonly limit?: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Time limit of one page of entries, in milliseconds. */
  readonly queryMs: number;
}

interface Progress {
  count: number;
  first: AuditEntry | undefined;
  last: AuditEntry | undefined;
  trusted: AuditEntry | undefined;
  keys: Set<string>;
  unknownKey: AuditReport['unknownKey'];
}

/** Validates the document where the entry of this number is expected. */
function findIssue(
  document: StoredDocument,
  expected: number,
  progress: Progress,
  keys: AuditKeys | undefined,
) {
  const entry = parseAuditEntry(document);
  const at = (kind: AuditIssueKind, more: Partial<AuditIssue> = {}): AuditIssue => ({
    kind,
    seq: expected,
    entry,
    ...more,
  });
  const { key: id } = entry;
  const place = auditEntrySequence(document._id);
  if (document._id !== auditEntryId(place)) return at('changed');
  if (place > expected) return at('missing', { to: place - 1 });
  if (typeof id !== 'string') return at('changed');
  const key = keys?.find(id);
  if (key === undefined) {
    progress.unknownKey = { id, seq: expected };
    return undefined;
  }
  if (entry.hash !== auditEntryHash(entry, key)) return at('changed');
  if (entry.seq !== expected) return at('moved');
  const before = progress.last ?? progress.trusted;
  if (entry.previous !== (before?.hash ?? GENESIS_HASH)) return at('replaced');
  if (entry.action === 'audit.broken') return at('noted');
  return undefined;
}

function take(progress: Progress, entry: AuditEntry): void {
  progress.count += 1;
  progress.first ??= entry;
  progress.last = entry;
  progress.keys.add(entry.key);
}

/** Compares the known head with the log. `seen` is the stored hash under its number, if it was read. */
function findHeadIssue(head: AuditHead | undefined, last: AuditEntry | undefined, seen: string | undefined) {
  if (head === undefined) return undefined;
  const reached = last?.seq ?? 0;
  if (reached < head.seq) return { kind: 'truncated', seq: reached + 1, to: head.seq } as const;
  return seen === undefined || seen === head.hash
    ? undefined
    : ({ kind: 'replaced', seq: head.seq } as const);
}

/**
 * Reads the log in pages, also while a server writes it. Stops at the first issue. Rejects with the store's StoreError, and
 * with NOT_FOUND if there is no entry `after`.
 */
export async function verifyAudit(options: VerifyOptions): Promise<AuditReport> {
  const { store, keys, headFile, after, limit = Number.POSITIVE_INFINITY, now, queryMs } = options;
  // Loaded before the entries: it may be older than they are, never newer.
  const head = await headFile.load();
  const read = (filter: Filter, size: number) => {
    const query = { filter, sort: [['_id', 1]], skip: 0, limit: size } as const;
    return store.find(AUDIT_NAMESPACE, query, { deadline: now() + queryMs });
  };
  const progress: Progress = {
    count: 0,
    first: undefined,
    last: undefined,
    trusted: undefined,
    keys: new Set(),
    unknownKey: undefined,
  };
  const report = (issue?: AuditIssue): AuditReport => {
    const { count, first, last, unknownKey } = progress;
    const used = [...progress.keys];
    return { count, first, last, keys: used, isAnchored: head !== undefined, issue, unknownKey };
  };
  if (after > 0) {
    const [trusted] = await read(
      { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: auditEntryId(after) }] },
      1,
    );
    if (trusted === undefined) {
      throw new AppError('NOT_FOUND', { message: `The audit log has no entry ${after}` });
    }
    progress.trusted = parseAuditEntry(trusted);
    progress.keys.add(progress.trusted.key);
  }
  // A part that begins at the newest entry known outside compares that one, too.
  let seen = progress.trusted?.seq === head?.seq ? progress.trusted?.hash : undefined;
  for (let from = auditEntryId(after); ; ) {
    const size = Math.min(PAGE_SIZE, limit - progress.count);
    if (size === 0) return report();
    const page = await read({ kind: 'field', path: '_id', tests: [{ kind: 'gt', value: from }] }, size);
    for (const document of page) {
      const expected = (progress.last?.seq ?? after) + 1;
      const issue = findIssue(document, expected, progress, keys);
      if (issue !== undefined) return report(issue);
      if (progress.unknownKey !== undefined) return report();
      const entry = parseAuditEntry(document);
      take(progress, entry);
      if (entry.seq === head?.seq) seen = entry.hash;
    }
    const last = page.at(-1);
    if (last === undefined) break;
    from = last._id;
  }
  return report(findHeadIssue(head, progress.last ?? progress.trusted, seen));
}
