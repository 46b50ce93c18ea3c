// Client records: what is read from them, also when they are broken, and how changes are written.
import { describe, expect, it } from 'vitest';
import type { Permissions } from '../../../src/auth/clients/client.ts';
import {
  createClientRecord,
  hashClient,
  parseClientRecord,
  updateClientRecord,
} from '../../../src/auth/clients/client-record.ts';
import { sha256Hex } from '../../../src/lib/sha256.ts';

const ID = '0123456789abcdef01234567';
const NS = { database: null, collection: 'clients' };

const PERMISSIONS: Permissions = {
  actions: ['read', 'update'],
  collections: [
    { path: 'books', apiVersion: '1.0', database: 'library', actions: ['read', 'history'] },
    { path: 'people' },
  ],
  endpoints: [{ path: 'report', apiVersion: '1.0' }],
};

function newRecord(permissions: Permissions | null = null, roles: readonly string[] = []) {
  return createClientRecord(
    { clientId: 'reader', secret: 'not stored', accessType: 'user', permissions, roles },
    { _id: ID, hash: 'the hash', now: 5 },
  );
}

describe('a new client record', () => {
  it('parses back to the same client, without the secret', () => {
    const document = newRecord(PERMISSIONS, ['author', 'editor']);
    const record = parseClientRecord(document);
    expect(record.status.client).toEqual({
      id: ID,
      clientId: 'reader',
      accessType: 'user',
      permissions: PERMISSIONS,
      roles: ['author', 'editor'],
    });
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

describe('a client record without roles', () => {
  it('has none, and the same hash in audit entries as before there were roles', () => {
    const { roles: _, ...document } = newRecord();
    const { client } = parseClientRecord(document).status;
    expect(client.roles).toEqual([]);
    expect(client).not.toHaveProperty('issuer');
    const text = JSON.stringify({ clientId: 'reader', accessType: 'user' }, null, 2);
    expect(hashClient(client)).toBe(sha256Hex(`${text}\n`));
  });
});

describe('the hash of a client in audit entries', () => {
  const hashWith = (change: Parameters<typeof updateClientRecord>[2]) => {
    const record = parseClientRecord(newRecord(PERMISSIONS, ['author']));
    return hashClient(parseClientRecord(updateClientRecord(NS, record, change).document).status.client);
  };

  it('covers every role and every member of permissions, and not the order of members', () => {
    const [first, second] = PERMISSIONS.collections ?? [];
    const hashes = [
      {},
      { roles: ['editor'] },
      { roles: [] },
      { roles: ['author', 'editor'] },
      { permissions: null },
      { permissions: { ...PERMISSIONS, actions: ['read'] } },
      { permissions: { ...PERMISSIONS, collections: [{ path: 'books' }, { path: 'people' }] } },
      {
        permissions: {
          ...PERMISSIONS,
          collections: [{ ...first, path: 'books', actions: ['read'] }, second],
        },
      },
      { permissions: { ...PERMISSIONS, collections: [{ ...first, path: 'books', database: 'x' }, second] } },
      { permissions: { ...PERMISSIONS, endpoints: [] } },
    ].map((change) => hashWith(change as Parameters<typeof updateClientRecord>[2]));
    expect(new Set(hashes).size).toBe(hashes.length);
    const { endpoints, ...rest } = PERMISSIONS;
    expect(hashWith({ permissions: { endpoints: endpoints ?? [], ...rest } })).toBe(hashes[0]);
  });
});

describe('the limitation of a client record to reading', () => {
  const limit = (permissions: Permissions | null, readOnly: boolean) =>
    updateClientRecord(NS, parseClientRecord(newRecord(permissions)), { readOnly }).document['permissions'];
  const books = [{ path: 'books' }];
  const endpoints = [{ path: 'report' }];
  const all = ['read', 'create', 'update', 'delete', 'history'];

  it.each<[Permissions | null, Permissions, Permissions | null]>([
    [null, { actions: ['read'] }, null],
    [{}, { actions: ['read'], collections: [] }, { collections: [] }],
    [{ collections: books }, { actions: ['read'], collections: books }, { collections: books }],
    [{ endpoints }, { actions: ['read'], collections: [], endpoints }, { collections: [], endpoints }],
    [{ actions: ['read'] }, { actions: ['read'] }, null],
    [
      { actions: ['update', 'read'], endpoints },
      { actions: ['read'], endpoints },
      { actions: all as Permissions['actions'] & object, endpoints },
    ],
  ])('of %j opens nothing that was closed, and can be lifted', (before, limited, lifted) => {
    expect(limit(before, true)).toEqual(limited);
    expect(limit(limited, true)).toEqual(limited);
    expect(limit(limited, false)).toEqual(lifted);
  });

  it.each<[Permissions | null]>([
    [null],
    [{}],
    [{ actions: [] }],
    [{ actions: ['create'] }],
    [{ actions: ['read', 'history'] }],
    [{ collections: books }],
  ])('is not lifted from %j, which is something else', (permissions) => {
    expect(limit(permissions, false)).toEqual(permissions);
  });

  it('is refused for an admin, who would still do everything', () => {
    const admin = parseClientRecord({ ...newRecord(), accessType: 'admin' });
    const attempt = () => updateClientRecord(NS, admin, { readOnly: true });
    expect(attempt).toThrow(expect.objectContaining({ code: 'BAD_REQUEST' }));
    expect(updateClientRecord(NS, admin, { readOnly: false }).document['permissions']).toBeNull();
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
    [
      'a version that is a number',
      {
        permissions: {
          collections: [{ path: 'a', apiVersion: 1 }],
          endpoints: [{ path: 'b', apiVersion: null }],
        },
      },
      {
        permissions: {
          collections: [{ path: 'a', apiVersion: '' }],
          endpoints: [{ path: 'b', apiVersion: '' }],
        },
      },
    ],
    [
      'a database that is a list',
      { permissions: { collections: [{ path: 'a', database: ['library'] }] } },
      { permissions: { collections: [{ path: 'a', database: '' }] } },
    ],
    ['actions that are text', { permissions: { actions: 'read' } }, { permissions: { actions: [] } }],
    [
      'unknown actions',
      { permissions: { actions: ['READ', 'all', 7], collections: [{ path: 'a', actions: { read: true } }] } },
      { permissions: { actions: [], collections: [{ path: 'a', actions: [] }] } },
    ],
    ['roles that are text', { roles: 'editor' }, { roles: [] }],
    [
      'roles that are none',
      { roles: ['admin', 'anyone', 'clients', '', 'a b', 'client:x', 7, null, 'editor'] },
      { roles: ['editor'] },
    ],
    ['an issuer', { issuer: 'github', roles: ['editor'] }, { roles: ['editor'] }],
  ])('with %s grants less', (_case, broken, client) => {
    expect(parseClientRecord({ ...newRecord(), ...broken }).status.client).toMatchObject(client);
    expect(parseClientRecord({ ...newRecord(), ...broken }).status.client).not.toHaveProperty('reviewer');
    expect(parseClientRecord({ ...newRecord(), ...broken }).status.client).not.toHaveProperty('issuer');
  });

  it('with 10,000 roles has the first hundred', () => {
    const roles = Array.from({ length: 10_000 }, (_, n) => `r${n}`);
    expect(parseClientRecord({ ...newRecord(), roles }).status.client.roles).toEqual(roles.slice(0, 100));
  });

  it('without text in place of the secret has a hash that nothing matches', () => {
    expect(parseClientRecord({ _id: ID }).hash).toBe('');
  });
});
