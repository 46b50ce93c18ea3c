// Changes of client records on a real store, where an admin remains whatever races, in one process or in two.
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/auth/audit/actor.ts';
import type { AccessType } from '../../../src/auth/clients/client.ts';
import { createClientRecord } from '../../../src/auth/clients/client-record.ts';
import { createClientStore } from '../../../src/auth/clients/client-store.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import { failingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const generateId = createIdSource();

const over = (store: DocumentStore, actor: Actor | null = BOSS) =>
  createClientStore({
    store,
    audit: auditOf(store),
    now: Date.now,
    actor,
    deadline: Date.now() + 60_000,
  });

async function setUp(people: Readonly<Record<string, AccessType>>) {
  const { store, path } = await openTemporaryStore();
  const records = over(store);
  for (const [clientId, accessType] of Object.entries(people)) {
    const given = { clientId, accessType, secret: undefined, permissions: null, roles: [] };
    await records.insert(createClientRecord(given, { _id: generateId(), hash: '', now: 1 }));
  }
  return { store, path, records };
}

type Records = ReturnType<typeof over>;

const admins = async (records: Records) =>
  (await records.all()).filter(({ status }) => status.client.accessType === 'admin');

const last = { code: 'LAST_ADMIN', status: 409 };

describe('the last admin', () => {
  it('is neither removed nor demoted', async () => {
    const { records } = await setUp({ root: 'admin', reader: 'user' });
    await expect(records.remove('root')).rejects.toMatchObject(last);
    await expect(records.change('root', { accessType: 'user' })).rejects.toMatchObject(last);
    expect(await admins(records)).toHaveLength(1);
  });

  it('may be changed otherwise, and others may go', async () => {
    const { records } = await setUp({ root: 'admin', reader: 'user' });
    await records.change('root', { accessType: 'admin', permissions: {} });
    await records.change('reader', { accessType: 'user' });
    await records.remove('reader');
    expect((await records.all()).map(({ status }) => status.client.clientId)).toEqual(['root']);
  });

  it('may go when another has come', async () => {
    const { records } = await setUp({ root: 'admin', other: 'user' });
    await records.change('other', { accessType: 'admin' });
    await records.remove('root');
    expect(await records.find('root')).toBeUndefined();
  });

  it.each(['remove', 'demote'])('remains when all are to %s at once', async (what) => {
    const names = ['a', 'b', 'c', 'd'];
    const { records, path } = await setUp(Object.fromEntries(names.map((name) => [name, 'admin'] as const)));
    const others = over((await openTemporaryStore(path)).store);
    const end = (name: string, index: number) => {
      const by = index % 2 === 0 ? records : others;
      return what === 'remove' ? by.remove(name) : by.change(name, { accessType: 'user' });
    };
    const outcomes = await Promise.allSettled(names.map(end));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await admins(records)).toHaveLength(1);
  });
});

describe('a change of a stored client record', () => {
  it('is one commit with its audit entry', async () => {
    const { store, records } = await setUp({ root: 'admin', reader: 'user' });
    await records.change('reader', { permissions: {} });
    await records.change('reader', { hash: 'another' });
    await records.remove('reader');
    await expect(records.remove('root')).rejects.toMatchObject(last);
    expect(await auditedIn(store)).toEqual([
      ['client.create', 'root', 'boss'],
      ['client.create', 'reader', 'boss'],
      ['client.update', 'reader', 'boss'],
      ['client.secret', 'reader', 'boss'],
      ['client.remove', 'reader', 'boss'],
    ]);
  });

  it.each(['busy', 'timeout', 'unavailable'] as const)(
    'is not made without its audit entry: %s',
    async (reason) => {
      const store = failingStore((await setUp({ root: 'admin', reader: 'user' })).store);
      const records = over(store);
      const given = {
        clientId: 'new',
        accessType: 'admin' as const,
        secret: undefined,
        permissions: null,
        roles: [],
      };
      const before = [await records.all(), await auditedIn(store)];
      store.fail(reason, ['commit']);
      for (const change of [
        () => records.insert(createClientRecord(given, { _id: generateId(), hash: '', now: 1 })),
        () => records.change('reader', { accessType: 'admin' }),
        () => records.change('reader', { hash: 'another' }),
        () => records.remove('reader'),
      ]) {
        await expect(change()).rejects.toMatchObject({ reason });
      }
      store.recover();
      expect([await records.all(), await auditedIn(store)]).toEqual(before);
    },
  );
});

describe('a reviewer', () => {
  const isProtected = { code: 'CLIENT_PROTECTED', status: 403 };

  it('is changed by the operator, and by nobody over HTTP but for its own secret', async () => {
    const { store, records } = await setUp({ root: 'admin', boss: 'admin', reviewer: 'user' });
    const operator = over(store, null);
    await operator.change('reviewer', { reviewer: true });
    for (const change of [
      ...[{ hash: 'h' }, { accessType: 'admin' as const }, { permissions: {} }, { roles: ['r'] }],
      { readOnly: false },
    ])
      await expect(records.change('reviewer', change)).rejects.toMatchObject(isProtected);
    await expect(records.remove('reviewer')).rejects.toMatchObject(isProtected);
    const own = over(store, { clientId: 'reviewer' });
    await own.change('reviewer', { hash: 'new' });
    for (const beside of [
      { permissions: null },
      { roles: [] },
      { readOnly: true },
      { accessType: 'user' as const },
    ])
      await expect(own.change('reviewer', { ...beside, hash: 'h' })).rejects.toMatchObject(isProtected);
    await expect(own.change('root', { hash: 'h' })).rejects.toMatchObject(isProtected);
    await expect(own.assertNotReviewer()).rejects.toMatchObject(isProtected);
    expect([await own.hasReviewer(), await records.hasReviewer()]).toEqual([false, true]);
    await operator.change('reviewer', { reviewer: false });
    await records.remove('reviewer');
    expect((await auditedIn(store)).slice(3)).toEqual([
      ['client.reviewer.give', 'reviewer', null],
      ['client.secret', 'reviewer', 'reviewer'],
      ['client.reviewer.take', 'reviewer', null],
      ['client.remove', 'reviewer', 'boss'],
    ]);
  });
});

describe('concurrent changes of one client record', () => {
  it('are all applied', async () => {
    const { records } = await setUp({ reader: 'user' });
    const stamps = ['h1', 'h2', 'h3', 'h4', 'h5'];
    await Promise.all(stamps.map((hash) => records.change('reader', { hash })));
    expect((await records.findOrThrow('reader')).v).toBe(6);
  });

  it('end as busy when the write never succeeds', async () => {
    const { store } = await setUp({ reader: 'user' });
    let commits = 0;
    const contended = over({
      ...store,
      find: store.find.bind(store),
      commit: () => {
        commits += 1;
        return Promise.reject(new StoreError('conflict'));
      },
    });
    await expect(contended.change('reader', { hash: 'h' })).rejects.toMatchObject({ reason: 'busy' });
    expect(commits).toBe(10);
  });

  it('reject with the error of the store', async () => {
    const { store } = await setUp({ reader: 'user' });
    const away = over({
      ...store,
      find: store.find.bind(store),
      commit: () => Promise.reject(new StoreError('unavailable')),
    });
    await expect(away.remove('reader')).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
