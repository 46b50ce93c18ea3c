// Client records: what is written reads back, what is broken grants nothing.
import { describe, expect, it } from 'vitest';
import type { Permissions } from '../../../src/auth/clients/client.ts';
import {
  createClientRecord,
  hashClient,
  parseClientRecord,
  updateClientRecord,
} from '../../../src/auth/clients/client-record.ts';

const ID = '0123456789abcdef01234567';
const NS = { database: null, collection: 'clients' };

function made(permissions: Permissions | null = null) {
  return createClientRecord(
    { clientId: 'reader', secret: 'not stored', accessType: 'user', permissions },
    { _id: ID, hash: 'the hash', now: 5 },
  );
}

describe('a new record', () => {
  it('reads back as it was meant, without the secret', () => {
    const permissions = { collections: [{ path: 'books', apiVersion: '1.0' }, { path: 'people' }] };
    const document = made(permissions);
    const record = parseClientRecord(document);
    expect(record.status.client).toEqual({ id: ID, clientId: 'reader', accessType: 'user', permissions });
    expect(record).toMatchObject({ v: 1, hash: 'the hash' });
    expect(JSON.stringify(document)).not.toContain('not stored');
    expect(document).toMatchObject({ createdAt: 5, v: 1 });
  });

  it('has a stamp of its own', () => {
    expect(parseClientRecord(made()).status.stamp).not.toBe(parseClientRecord(made()).status.stamp);
  });
});

describe('a change', () => {
  it('counts v up and names what differs', () => {
    const record = parseClientRecord(made());
    const write = updateClientRecord(NS, record, { accessType: 'admin', permissions: {}, lastModifiedAt: 9 });
    expect(write).toMatchObject({ kind: 'update', ns: NS, id: ID, v: 1 });
    expect(write.document).toMatchObject({ v: 2, accessType: 'admin', permissions: {}, createdAt: 5 });
    expect(write.document['stamp']).toBe(record.status.stamp);
    expect([...write.changed].sort()).toEqual(['accessType', 'lastModifiedAt', 'permissions', 'v']);
  });

  it('of nothing only counts v up', () => {
    expect(updateClientRecord(NS, parseClientRecord(made()), {}).changed).toEqual(['v']);
  });

  it('of the secret changes the stamp', () => {
    const record = parseClientRecord(made());
    const after = parseClientRecord(updateClientRecord(NS, record, { hash: 'new hash' }).document);
    expect(after.hash).toBe('new hash');
    expect(after.status.stamp).not.toBe(record.status.stamp);
  });
});

describe('the right to approve', () => {
  it('is stored and taken away again, and part of what the audit log fingerprints', () => {
    const record = parseClientRecord(made());
    const given = parseClientRecord(updateClientRecord(NS, record, { reviewer: true }).document);
    expect([record.status.client.reviewer, given.status.client.reviewer]).toEqual([undefined, true]);
    const taken = parseClientRecord(updateClientRecord(NS, given, { reviewer: false }).document);
    expect(taken.status.client).toEqual(record.status.client);
    expect(hashClient(given.status.client)).not.toBe(hashClient(record.status.client));
  });
});

describe('a broken record', () => {
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
    expect(parseClientRecord({ ...made(), ...broken }).status.client).toMatchObject(client);
    expect(parseClientRecord({ ...made(), ...broken }).status.client).not.toHaveProperty('reviewer');
  });

  it('without text in place of the secret has a hash that nothing matches', () => {
    expect(parseClientRecord({ _id: ID }).hash).toBe('');
  });
});
