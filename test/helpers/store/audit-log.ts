// The audit log of a store, for tests of what writes to it, and the check that it is one chain.
import { expect } from 'vitest';
import { createAudit } from '../../../src/auth/audit/audit.ts';
import {
  type AuditEntry,
  type AuditKeys,
  auditEntryHash,
  parseAuditKeys,
} from '../../../src/auth/audit/audit-entry.ts';
import type { AuditFolder } from '../../../src/auth/audit/audit-folder.ts';
import type { AuditHead } from '../../../src/auth/audit/audit-head.ts';
import type { DocumentStore, Namespace, Write } from '../../../src/stores/ports.ts';

export const silent = { info: () => undefined, error: () => undefined };

/** Keys of these names, the current one first. */
export function keysNamed(...names: readonly string[]): AuditKeys {
  const keys = parseAuditKeys(names.map((name) => `${name}:`.padEnd(32, '0')).join(' '));
  if (keys === undefined) throw new Error('no keys');
  return keys;
}

/** What would be kept outside the database, in memory. */
export function auditFolder(keys = keysNamed('test')): AuditFolder & {
  readonly keys: AuditKeys;
  end: AuditHead | undefined;
} {
  const folder = {
    keys,
    loadKeys: async () => keys,
    keyId: keys.current.id,
    end: undefined as AuditHead | undefined,
    headFile: {
      load: async () => folder.end,
      save: async (end: AuditHead) => {
        folder.end = end;
      },
    },
  };
  return folder;
}

type Store = Pick<DocumentStore, 'find' | 'commit'>;

export const auditOf = (store: Store, now = Date.now, folder: AuditFolder = auditFolder()) =>
  createAudit({ store, now, queryMs: 60_000, log: silent, folder });

/** What the log of a store holds: action, target and client of each entry. */
export async function auditedIn(store: Store) {
  const entries = await auditOf(store).read(0, 1000);
  expectFollowing(entries);
  return entries.map(({ action, target, clientId }) => [action, target, clientId]);
}

/** Every entry follows the one before it, from the first on. */
function expectFollowing(entries: readonly AuditEntry[]): void {
  const hashes = ['0'.repeat(64), ...entries.map(({ hash }) => hash)];
  expect(entries.map(({ seq, previous }) => [seq, previous])).toEqual(
    entries.map((_, index) => [index + 1, hashes[index]]),
  );
}

/** The same, and each has the hash that its key gives. */
export function expectChain(entries: readonly AuditEntry[], keys = keysNamed('test')): void {
  expectFollowing(entries);
  for (const entry of entries) {
    const key = keys.find(entry.key);
    expect(key && auditEntryHash(entry, key)).toBe(entry.hash);
  }
}

const THINGS: Namespace = { database: null, collection: 'things' };

/** The write that makes a thing of this number, which may exist once. */
export const thing = (n: number): Write => ({
  kind: 'insert',
  ns: THINGS,
  document: { _id: String(n).padStart(24, '0'), v: 1 },
});

/** How many things there are. */
export const countThings = (store: Pick<DocumentStore, 'count'>) =>
  store.count(THINGS, { kind: 'and', filters: [] });

/** A write that every store refuses. */
export const STALE: Write = { kind: 'remove', ns: THINGS, id: '9'.repeat(24), v: 1 };
