// The entries of the audit log, each with the hash of the one before it and signed with a key, and how they are stored.
import { sha256Hex } from '../../lib/sha256.ts';
import type { Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { AuditKey } from './audit-keys.ts';

/** Where the log lives: no path over HTTP reaches it. */
export const AUDIT_NAMESPACE: Namespace = { database: null, collection: 'cloister.audit' };
export const GENESIS_HASH = '0'.repeat(64);

interface Hashes {
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditAction extends Hashes {
  /** Who: null for nobody known. */
  readonly clientId: string | null;
  /** What was done, such as `specification.create`. */
  readonly action: string;
  /** To what: a path or a client id. `before` and `after` are the SHA-256 of its text; null where there was or is none. */
  readonly target: string;
  /** The same of the policy beside posted code, where the action is about both. */
  readonly policy?: Hashes;
}

export interface AuditEntry extends AuditAction {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Id of the key that signed it; entries that older versions wrote have none. */
  readonly key?: string;
  /** The hash of the entry before. */
  readonly previous: string;
  /** HMAC-SHA256 of all other members; without a key their SHA-256. */
  readonly hash: string;
}

// Of two processes that append the same number only one can: the number is the id.
export const entryIdOf = (seq: number) => seq.toString(16).padStart(24, '0');
export const sequenceOf = (id: string) => Number.parseInt(id, 16);

/** The hash that an entry must have. `key` is the one that it names; entries without one need none. */
export function entryHash(entry: Omit<AuditEntry, 'hash'>, key: AuditKey | undefined): string {
  const { previous, seq, at, clientId, action, target, before, after, policy } = entry;
  const members = [previous, seq, at, clientId, action, target, before, after];
  if (key === undefined) return sha256Hex(JSON.stringify(members));
  const ofPolicy = policy === undefined ? null : [policy.before, policy.after];
  return key.sign(JSON.stringify([...members, ofPolicy, key.id]));
}

function createEntry(
  last: AuditEntry | undefined,
  action: AuditAction,
  { at, key }: { readonly at: number; readonly key: AuditKey },
): AuditEntry {
  const { clientId, action: what, target, before, after, policy } = action;
  const said = { clientId, action: what, target, before, after, ...(policy === undefined ? {} : { policy }) };
  const place = { seq: (last?.seq ?? 0) + 1, at, key: key.id, previous: last?.hash ?? GENESIS_HASH };
  const entry = { ...said, ...place };
  return { ...entry, hash: entryHash(entry, key) };
}

/** The entries that follow `last`, one for each action. */
export function createEntries(
  last: AuditEntry | undefined,
  actions: readonly AuditAction[],
  signing: { readonly at: number; readonly key: AuditKey },
): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const action of actions) entries.push(createEntry(entries.at(-1) ?? last, action, signing));
  return entries;
}

export function parseEntry({ _id, v, ...entry }: StoredDocument): AuditEntry {
  return entry as unknown as AuditEntry;
}

/** The write that appends an entry. It is never undone, as the next entry may already refer to it. */
export function insertOf({ policy, ...entry }: AuditEntry): Write {
  const given = policy === undefined ? {} : { policy: { ...policy } };
  const document = { ...entry, ...given, v: 1, _id: entryIdOf(entry.seq) };
  return { kind: 'insert', ns: AUDIT_NAMESPACE, document, keepOnRollback: true };
}
