// Client records: parsing, and changes on a real store, where an admin remains whatever races, in one process or in two.
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/auth/audit/actor.ts';
import type { AccessType, Permissions } from '../../../src/auth/clients/client.ts';
import {
  createClientRecord,
  createClientStore,
  hashClient,
  parseClientRecord,
  updateClientRecord,
} from '../../../src/auth/clients/client-store.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import { createIdSource } from '../../../src/lib/ids.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { BOSS } from '../../helpers/fixtures/actors.ts';
import { auditedIn, auditOf } from '../../helpers/store/audit-log.ts';
import { failingStore, openTemporaryStore } from '../../helpers/store/temporary-store.ts';

const generateId = createIdSource();

const over = (store: DocumentStore, actor: Actor | null = BOSS) =>
  createClientStore({
    ...{ store, audit: auditOf(store), now: Date.now, actor },
    deadline: Date.now() + 60_000,
  });

async function setUp(people: Readonly<Record<string, AccessType>>) {
  const { store, path } = await openTemporaryStore();
  const records = over(store);
  for (const [clientId, accessType] of Object.entries(people)) {
    const given = { clientId, accessType, secret: undefined, permissions: null };
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
      const given = { clientId: 'new', accessType: 'admin', secret: undefined, permissions: null } as const;
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
    for (const change of [{ hash: 'h' }, { accessType: 'admin' as const }, { permissions: {} }])
      await expect(records.change('reviewer', change)).rejects.toMatchObject(isProtected);
    await expect(records.remove('reviewer')).rejects.toMatchObject(isProtected);
    const own = over(store, { clientId: 'reviewer' });
    await own.change('reviewer', { hash: 'new' });
    await expect(own.change('reviewer', { permissions: null, hash: 'h' })).rejects.toMatchObject(isProtected);
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

const ID = '0123456789abcdef01234567';
const NS = { database: null, collection: 'clients' };

function newRecord(permissions: Permissions | null = null) {
  return createClientRecord(
    { clientId: 'reader', secret: 'not stored', accessType: 'user', permissions },
    { _id: ID, hash: 'the hash', now: 5 },
  );
}

describe('a new client record', () => {
  it('parses back to the same client, without the secret', () => {
    const permissions = { collections: [{ path: 'books', apiVersion: '1.0' }, { path: 'people' }] };
    const document = newRecord(permissions);
    const record = parseClientRecord(document);
    expect(record.status.client).toEqual({ id: ID, clientId: 'reader', accessType: 'user', permissions });
    expect(record).toMatchObject({ v: 1, hash: 'the hash' });
    expect(JSON.stringify(document)).not.toContain('not stored');
    expect(document).toMatchObject({ createdAt: 5, v: 1 });
  });

  it('has a stamp of its own', () => {
    expect(parseClientRecord(newRecord()).status.secretVersion).not.toBe(
      parseClientRecord(newRecord()).status.secretVersion,
    );
  });
});

describe('a change of a client record', () => {
  it('increments v and lists the changed members', () => {
    const record = parseClientRecord(newRecord());
    const write = updateClientRecord(NS, record, { accessType: 'admin', permissions: {}, lastModifiedAt: 9 });
    expect(write).toMatchObject({ kind: 'update', ns: NS, id: ID, v: 1 });
    expect(write.document).toMatchObject({ v: 2, accessType: 'admin', permissions: {}, createdAt: 5 });
    expect(write.document['stamp']).toBe(record.status.secretVersion);
    expect([...write.changed].sort()).toEqual(['accessType', 'lastModifiedAt', 'permissions', 'v']);
  });

  it('without members only increments v', () => {
    expect(updateClientRecord(NS, parseClientRecord(newRecord()), {}).changed).toEqual(['v']);
  });

  it('with a new secret changes the stamp', () => {
    const record = parseClientRecord(newRecord());
    const after = parseClientRecord(updateClientRecord(NS, record, { hash: 'new hash' }).document);
    expect(after.hash).toBe('new hash');
    expect(after.status.secretVersion).not.toBe(record.status.secretVersion);
  });
});

describe('the right to approve in a client record', () => {
  it('is stored, can be removed, and is part of the hash in audit entries', () => {
    const record = parseClientRecord(newRecord());
    const given = parseClientRecord(updateClientRecord(NS, record, { reviewer: true }).document);
    expect([record.status.client.reviewer, given.status.client.reviewer]).toEqual([undefined, true]);
    const taken = parseClientRecord(updateClientRecord(NS, given, { reviewer: false }).document);
    expect(taken.status.client).toEqual(record.status.client);
    expect(hashClient(given.status.client)).not.toBe(hashClient(record.status.client));
  });
});

describe('a client record that was broken by hand', () => {
  it.each([
    ['an odd access type', { accessType: 'root' }, { accessType: 'user' }],
    ['an access type that is a list', { accessType: ['admin'] }, { accessType: 'user' }],
    ['a right to approve that is text', { reviewer: 'true' }, { accessType: 'user' }],
    ['permissions that are text', { permissions: 'all' }, { permissions: {} }],
    ['permissions that are a list', { permissions: [] }, { permissions: {} }],
    [
      'grants that are no list',
      { permissions: { collections: 'books' } },
      { permissions: { collections: [] } },
    ],
    [
      'a grant that is text',
      { permissions: { collections: ['books'] } },
      { permissions: { collections: [] } },
    ],
    [
      'a grant without a path',
      { permissions: { endpoints: [{}] } },
      { permissions: { endpoints: [{ path: '' }] } },
    ],
  ])('with %s grants less', (_case, broken, client) => {
    expect(parseClientRecord({ ...newRecord(), ...broken }).status.client).toMatchObject(client);
    expect(parseClientRecord({ ...newRecord(), ...broken }).status.client).not.toHaveProperty('reviewer');
  });

  it('without text in place of the secret has a hash that nothing matches', () => {
    expect(parseClientRecord({ _id: ID }).hash).toBe('');
  });
});
