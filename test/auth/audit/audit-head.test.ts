import { describe, expect, it } from 'vitest';
import { createAudit } from '../../../src/auth/audit/audit.ts';
import { AUDIT_NAMESPACE, auditEntryId } from '../../../src/auth/audit/audit-entry.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditFolder, auditOf, keysNamed, silent } from '../../helpers/store/audit-log.ts';
import { openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const ACTION = { actor: BOSS, action: 'client.create', target: 'app', before: null, after: 'f' };

describe('the stored head of the audit log', () => {
  it('is kept outside the database after each entry', async () => {
    const { store } = await openTemporaryStore();
    const folder = auditFolder();
    const audit = auditOf(store, Date.now, folder);
    await audit.check();
    expect(folder.end).toBeUndefined();
    await audit.record([ACTION, ACTION]);
    const [, last] = await audit.read(0, 10);
    expect(folder.end).toEqual({ seq: 2, hash: last?.hash });
  });

  it('may be further than this process knows, as others write too', async () => {
    const { store } = await openTemporaryStore();
    const audits = [auditOf(store), auditOf(store)] as const;
    for (let n = 0; n < 6; n += 1) await audits[n % 2 === 0 ? 0 : 1].record(ACTION);
    const entries = await audits[0].read(0, 10);
    expect(entries.map(({ action }) => action)).toEqual(Array(6).fill('client.create'));
  });

  it('is the last number, whatever the document under it says', async () => {
    const { store } = await openTemporaryStore();
    const audit = auditOf(store);
    await audit.record([ACTION, ACTION]);
    const [, last] = await audit.read(0, 10);
    const { policy: _, ...members } = last!;
    const copy = {
      kind: 'insert',
      ns: AUDIT_NAMESPACE,
      document: { ...members, v: 1, _id: auditEntryId(3) },
    } as const;
    await store.commit([copy], { deadline: Date.now() + 60_000 });
    await audit.record(ACTION);
    expect((await audit.read(3, 10)).map(({ seq, action }) => [seq, action])).toEqual([[4, 'client.create']]);
  });

  it('with another key is noted by a server, and refused by a command', async () => {
    const { store } = await openTemporaryStore();
    await auditOf(store, Date.now, auditFolder(keysNamed('theirs'))).record(ACTION);
    const errors: string[] = [];
    const log = { ...silent, error: (_fields: object, message: string) => void errors.push(message) };
    const options = { store, now: Date.now, queryMs: 60_000, log, folder: auditFolder(keysNamed('ours')) };
    const command = createAudit({ ...options, strict: true });
    await expect(command.record(ACTION)).rejects.toMatchObject({
      code: 'CONFIGURATION_INVALID',
      items: [{ field: 'auth.auditKey' }],
    });
    const server = createAudit(options);
    await server.check();
    expect(errors).toEqual(['the audit log was signed with another key']);
    const hashes = { before: keysNamed('theirs').current.id, after: keysNamed('ours').current.id };
    expect((await server.read(1, 10)).map(({ seq: _, ...entry }) => entry)).toMatchObject([
      { action: 'audit.key', clientId: null, key: hashes.after, ...hashes },
    ]);
  });

  it('writes although nothing can be kept outside, and says so', async () => {
    const { store } = await openTemporaryStore();
    const errors: string[] = [];
    const log = { ...silent, error: (_fields: object, message: string) => void errors.push(message) };
    const away = () => Promise.reject(new Error('no disk'));
    const folder = { ...auditFolder(keysNamed('test')), headFile: { load: away, save: away } };
    const audit = createAudit({ store, now: Date.now, queryMs: 60_000, log, folder });
    await audit.record(ACTION);
    expect(await audit.read(0, 10)).toHaveLength(1);
    expect(errors).toEqual([
      'cannot read which audit entry was the newest',
      'cannot save the newest audit entry outside the database',
    ]);
  });
});
