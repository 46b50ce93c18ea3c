// Audit entries: each has the hash of the previous one and is signed with a key. They name what was changed, and have hashes of it
// before and after, never its values: no secret is in them.

import { createHmac } from 'node:crypto';
import { isJsonObject, type Json } from '../../lib/json/json.ts';
import type { Namespace, StoredDocument, Write } from '../../stores/ports.ts';
import type { Actor } from './actor.ts';

const MIN_KEY_LENGTH = 32;
const ID_DIGITS = 16;

interface AuditKey {
  /** Identifies the key and reveals nothing about it. */
  readonly id: string;
  /** HMAC-SHA256 of a text, in hexadecimal digits. */
  sign(text: string): string;
}

export interface AuditKeys {
  /** Signs new entries. */
  readonly current: AuditKey;
  readonly ids: readonly string[];
  /** Finds the current key or an older one. */
  find(id: string): AuditKey | undefined;
}

function keyOf(secret: string): AuditKey {
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('hex');
  return { id: sign('id of a key of the audit log').slice(0, ID_DIGITS), sign };
}

/** Parses keys separated by white space, the current one first. Undefined if one is too short or there is none. */
export function parseAuditKeys(text: string): AuditKeys | undefined {
  const secrets = text.split(/\s+/).filter((secret) => secret !== '');
  const [current, ...older] = secrets.map(keyOf);
  if (current === undefined || secrets.some((secret) => secret.length < MIN_KEY_LENGTH)) return undefined;
  const keys = new Map([current, ...older].map((key) => [key.id, key]));
  return { current, ids: [...keys.keys()], find: (id) => keys.get(id) };
}

/** No HTTP path reaches this namespace. */
export const AUDIT_NAMESPACE: Namespace = { database: null, collection: 'cloister.audit' };
export const GENESIS_HASH = '0'.repeat(64);

interface Hashes {
  readonly before: string | null;
  readonly after: string | null;
}

export interface AuditAction extends Hashes {
  /** Who makes the change; null for the operator or the server. */
  readonly actor: Actor | null;
  /** The change, such as `specification.create`. */
  readonly action: string;
  /** A path or a client id. `before` and `after` are the SHA-256 of its text; null if there was or is none. */
  readonly target: string;
  /** The hashes of the policy, if the action is about code and its policy. */
  readonly policy?: Hashes;
}

/** The actor's members are members of the entry; `clientId` is null where there is no actor. */
export interface AuditEntry extends Omit<AuditAction, 'actor'>, Omit<Actor, 'clientId'> {
  readonly clientId: string | null;
  /** From 1, without gaps. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Id of the signing key. */
  readonly key: string;
  /** The hash of the previous entry. */
  readonly previous: string;
  /** HMAC-SHA256 of all other members. */
  readonly hash: string;
}

// The number is the id: of two processes that append the same number only one succeeds.
export const auditEntryId = (seq: number) => seq.toString(16).padStart(24, '0');
export const auditEntrySequence = (id: string) => Number.parseInt(id, 16);

const byName = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1);
const sortMembers = (_name: string, value: Json) =>
  isJsonObject(value) ? Object.fromEntries(Object.entries(value).toSorted(byName)) : value;

/**
 * The hash that an entry must have: whatever members it has are signed, as JSON with the members of each object sorted by name.
 * `key` is the one that the entry names.
 */
export function auditEntryHash(entry: Omit<AuditEntry, 'hash'>, key: AuditKey): string {
  return key.sign(JSON.stringify({ ...entry, hash: undefined }, sortMembers));
}

function createEntry(
  last: AuditEntry | undefined,
  { actor, ...action }: AuditAction,
  { at, key }: { readonly at: number; readonly key: AuditKey },
): AuditEntry {
  const position = { seq: (last?.seq ?? 0) + 1, at, key: key.id, previous: last?.hash ?? GENESIS_HASH };
  const entry = { clientId: null, ...actor, ...action, ...position };
  return { ...entry, hash: auditEntryHash(entry, key) };
}

/** The entries that follow `last`, one for each action. */
export function createAuditEntries(
  last: AuditEntry | undefined,
  actions: readonly AuditAction[],
  signing: { readonly at: number; readonly key: AuditKey },
): readonly AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const action of actions) entries.push(createEntry(entries.at(-1) ?? last, action, signing));
  return entries;
}

export function parseAuditEntry({ _id, v, ...entry }: StoredDocument): AuditEntry {
  return entry as unknown as AuditEntry;
}

/** The write that appends an entry. It is never rolled back, as the next entry may already refer to it. */
export function auditEntryInsert({ policy, ...entry }: AuditEntry): Write {
  const policyMember = policy === undefined ? {} : { policy: { ...policy } };
  const document = { ...entry, ...policyMember, v: 1, _id: auditEntryId(entry.seq) };
  return { kind: 'insert', ns: AUDIT_NAMESPACE, document, keepOnRollback: true };
}
