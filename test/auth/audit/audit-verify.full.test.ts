// Whoever can write the database, and has no key, cannot change the audit log unseen.
import { describe, expect, it } from 'vitest';
import {
  AUDIT_NAMESPACE,
  type AuditEntry,
  auditEntryHash,
  auditEntryId,
} from '../../../src/auth/audit/audit-entry.ts';
import { verifyAudit } from '../../../src/auth/audit/audit-verify.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import type { DocumentStore, StoredDocument, Write } from '../../../src/stores/ports.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditFolder, auditOf, keysNamed, silent } from '../../helpers/store/audit-log.ts';
import { describeMongo, ownDatabase } from '../../helpers/store/mongo-servers.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const ACTION = { actor: BOSS, action: 'client.create', target: 'app', before: null, after: 'f' };
const OURS = keysNamed('test');
const OTHER = keysNamed('other').current;

/** A log with twelve entries, and what an attacker can do to it who has the database alone. */
async function log(store: DocumentStore, folder = auditFolder()) {
  const audit = auditOf(store, Date.now, folder);
  for (let n = 1; n <= 12; n += 1) await audit.record({ ...ACTION, target: `app${n}` });
  const insert = (entry: object, seq: number): Write => ({
    kind: 'insert',
    ns: AUDIT_NAMESPACE,
    document: { ...entry, _id: auditEntryId(seq), v: 1 } as StoredDocument,
  });
  const remove = (seq: number): Write => ({
    kind: 'remove',
    ns: AUDIT_NAMESPACE,
    id: auditEntryId(seq),
    v: 1,
  });
  return {
    store,
    folder,
    audit,
    entries: await audit.read(0, 100),
    verify: (keys: typeof folder.keys | undefined = folder.keys, after = 0) =>
      verifyAudit({ store, keys, headFile: folder.headFile, after, now: Date.now, queryMs: 60_000 }),
    remove: (...seqs: readonly number[]) => store.commit(seqs.map(remove), {}),
    async replace(...entries: readonly (readonly [seq: number, entry: object])[]) {
      await store.commit(
        entries.map(([seq]) => remove(seq)),
        {},
      );
      await store.commit(
        entries.map(([seq, entry]) => insert(entry, seq)),
        {},
      );
    },
    insert: (seq: number, entry: object) => store.commit([insert(entry, seq)], {}),
  };
}

type Log = Awaited<ReturnType<typeof log>>;
const at = ({ entries }: Log, seq: number) => entries[seq - 1] as AuditEntry;

/** All entries from this one on, without keys, each with a hash that anybody can work out. */
function recomputed({ entries }: Log, from: number, change: Partial<AuditEntry>) {
  const forged: (readonly [number, object])[] = [];
  let previous = entries[from - 2]?.hash ?? '0'.repeat(64);
  for (const entry of entries.slice(from - 1)) {
    const { key: _, ...unsigned } = { ...entry, previous, ...(entry.seq === from ? change : {}) };
    previous = sha256Hex(JSON.stringify(unsigned));
    forged.push([entry.seq, { ...unsigned, hash: previous }]);
  }
  return forged;
}

const TAMPERED: Readonly<Record<string, readonly [(log: Log) => Promise<unknown>, object]>> = {
  'a member is changed': [
    (log) => log.replace([5, { ...at(log, 5), clientId: 'mole' }]),
    { kind: 'changed', seq: 5 },
  ],
  'the address is changed': [
    (log) => log.replace([5, { ...at(log, 5), address: '192.0.2.66' }]),
    { kind: 'changed', seq: 5 },
  ],
  'the id of the request is changed': [
    (log) => log.replace([5, { ...at(log, 5), requestId: 'other' }]),
    { kind: 'changed', seq: 5 },
  ],
  'a member is added': [(log) => log.replace([5, { ...at(log, 5), note: 1 }]), { kind: 'changed', seq: 5 }],
  'one in the middle is removed': [(log) => log.remove(7), { kind: 'missing', seq: 7, to: 7 }],
  'the first ones are removed': [(log) => log.remove(1, 2), { kind: 'missing', seq: 1, to: 2 }],
  'the last ones are removed': [(log) => log.remove(10, 11, 12), { kind: 'truncated', seq: 10, to: 12 }],
  'all are removed': [
    (log) => log.remove(...log.entries.map(({ seq }) => seq)),
    { kind: 'truncated', seq: 1, to: 12 },
  ],
  'two are exchanged': [(log) => log.replace([3, at(log, 4)], [4, at(log, 3)]), { kind: 'moved', seq: 3 }],
  'one is inserted in front of the others': [
    (log) => log.replace([3, { ...at(log, 4), seq: 3 }]),
    { kind: 'changed', seq: 3 },
  ],
  'one is added with a hash that anybody can work out': [
    async (log) => {
      const { key: _, ...last } = at(log, 12);
      const next = { ...last, seq: 13, previous: last.hash };
      await log.insert(13, { ...next, hash: sha256Hex(JSON.stringify(next)) });
    },
    { kind: 'changed', seq: 13 },
  ],
  'all from one on are worked out anew': [
    (log) => log.replace(...recomputed(log, 6, { target: 'other' })),
    { kind: 'changed', seq: 6 },
  ],
  'all of them are worked out anew': [
    (log) => log.replace(...recomputed(log, 1, { target: 'other' })),
    { kind: 'changed', seq: 1 },
  ],
  'one is signed with another key under the name of ours': [
    (log) => {
      const next = { ...at(log, 12), target: 'other' };
      return log.replace([12, { ...next, hash: auditEntryHash(next, OTHER) }]);
    },
    { kind: 'changed', seq: 12 },
  ],
  'hashes are worked out anew and the key is named': [
    (log) => {
      const next = { ...at(log, 6), target: 'other' };
      return log.replace([6, { ...next, hash: sha256Hex(JSON.stringify(next)) }]);
    },
    { kind: 'changed', seq: 6 },
  ],
};

describe('an audit log', () => {
  it('is valid if nobody changed it, in whatever pages it is read', async () => {
    const whole = await log((await openTemporaryStore()).store);
    for (let n = 0; n < 600; n += 1) await whole.audit.record(ACTION);
    const report = await whole.verify();
    expect(report).toMatchObject({ count: 612, isAnchored: true, keys: OURS.ids });
    expect([report.issue, report.unknownKey, report.last?.seq]).toEqual([undefined, undefined, 612]);
    expect(await whole.verify(OURS, 600)).toMatchObject({ count: 12, issue: undefined });
    await expect(whole.verify(OURS, 613)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(Object.entries(TAMPERED))('is broken where %s', async (_what, [tamper, issue]) => {
    const broken = await log((await openTemporaryStore()).store);
    await tamper(broken);
    expect((await broken.verify()).issue).toMatchObject(issue);
  });

  it('that was truncated says so once somebody appends, also after a restart', async () => {
    const folder = auditFolder();
    const cut = await log((await openTemporaryStore()).store, folder);
    await cut.remove(11, 12);
    // The process that wrote them, and one that begins with what the folder says.
    await cut.audit.record({ ...ACTION, target: 'next' });
    expect((await cut.verify()).issue).toMatchObject({ kind: 'noted', seq: 11 });
    await cut.remove(12);
    const later = auditOf(cut.store, Date.now, folder);
    await later.check();
    const [, broken] = await later.read(10, 10);
    expect(broken).toMatchObject({ action: 'audit.broken', target: '12', after: null, seq: 12 });
    expect((await cut.verify(OURS, 12)).issue).toBeUndefined();
  });

  it('cannot be checked without its key, and with an older one beside the new it can', async () => {
    const folder = auditFolder(keysNamed('old'));
    const old = await log((await openTemporaryStore()).store, folder);
    const { id } = folder.keys.current;
    expect(await old.verify(OURS)).toMatchObject({ count: 0, unknownKey: { id, seq: 1 } });
    const both = keysNamed('new', 'old');
    await auditOf(old.store, Date.now, { ...folder, loadKeys: async () => both }).record(ACTION);
    expect(await old.verify(both)).toMatchObject({
      count: 14,
      issue: undefined,
      keys: [id, both.current.id],
    });
    expect((await old.verify(keysNamed('new'))).unknownKey).toMatchObject({ seq: 1 });
    expect((await old.verify(keysNamed('old'))).unknownKey).toMatchObject({ seq: 13 });
  });
});

describeMongo('on MongoDB', (servers) => {
  it('reports what was changed or truncated', async () => {
    const pool = { maxPoolSize: 5, minPoolSize: 0, separateDatabases: false, queryMs: 20_000 };
    const store = openMongoDocuments({
      uri: await ownDatabase(servers.standalone),
      ...pool,
      log: { ...silent, warn: () => undefined },
    });
    try {
      const kept = await log(store);
      expect(await kept.verify()).toMatchObject({ count: 12, issue: undefined });
      await kept.remove(12);
      expect((await kept.verify()).issue).toMatchObject({ kind: 'truncated', seq: 12 });
      await kept.replace([5, { ...at(kept, 5), clientId: 'mole' }]);
      expect((await kept.verify()).issue).toMatchObject({ kind: 'changed', seq: 5 });
    } finally {
      await store.close();
    }
  });
});
