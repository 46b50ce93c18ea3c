// The audit log of a store, for tests of what writes to it, and the check that it is one chain.
import { expect } from 'vitest';
import { createAudit } from '../../src/auth/audit.ts';
import type { AuditEntry } from '../../src/auth/audit-chain.ts';
import { fingerprint } from '../../src/lib/fingerprint.ts';
import type { DocumentStore, Namespace, Write } from '../../src/stores/ports.ts';

const silent = { error: () => undefined };

export const auditOf = (store: Pick<DocumentStore, 'find' | 'commit'>, now = Date.now) =>
  createAudit({ store, now, queryMs: 60_000, log: silent });

/** What the log of a store holds: action, target and client of each entry. */
export async function auditedIn(store: Pick<DocumentStore, 'find' | 'commit'>) {
  const entries = await auditOf(store).read(0, 1000);
  expectChain(entries);
  return entries.map(({ action, target, clientId }) => [action, target, clientId]);
}

/** Every entry follows the one before it, from the first on. */
export function expectChain(entries: readonly AuditEntry[]): void {
  let previous = '0'.repeat(64);
  for (const [index, entry] of entries.entries()) {
    const { seq, at, clientId, action, target, before, after } = entry;
    expect([seq, entry.previous]).toEqual([index + 1, previous]);
    previous = fingerprint(JSON.stringify([previous, seq, at, clientId, action, target, before, after]));
    expect(entry.hash).toBe(previous);
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
