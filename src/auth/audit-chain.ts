// The entries of the audit log, each with the hash of the one before it, and how they are stored.
import { fingerprint } from '../lib/fingerprint.ts';
import type { Namespace, StoredDocument, Write } from '../stores/ports.ts';

/** Where the log lives: no path over HTTP reaches it. */
export const AUDIT: Namespace = { database: null, collection: 'cloister.audit' };
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

// Of two processes that append the same number only one can: the number is the id.
export const idOf = (seq: number) => seq.toString(16).padStart(24, '0');

function entryAfter(last: AuditEntry | undefined, action: AuditAction, at: number): AuditEntry {
  const { clientId, action: what, target, before, after } = action;
  const seq = (last?.seq ?? 0) + 1;
  const previous = last?.hash ?? BEGINNING;
  const hash = fingerprint(JSON.stringify([previous, seq, at, clientId, what, target, before, after]));
  return { seq, at, clientId, action: what, target, before, after, previous, hash };
}

/** The entries that follow `last`, one for each action. */
export function entriesAfter(
  last: AuditEntry | undefined,
  actions: readonly AuditAction[],
  at: number,
): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const action of actions) entries.push(entryAfter(entries.at(-1) ?? last, action, at));
  return entries;
}

export function toEntry({ _id, v, ...entry }: StoredDocument): AuditEntry {
  return entry as unknown as AuditEntry;
}

/** The write that appends an entry. It is never undone, as the next entry may already refer to it. */
export function appending(entry: AuditEntry): Write {
  return { kind: 'insert', ns: AUDIT, document: { ...entry, v: 1, _id: idOf(entry.seq) }, stays: true };
}
