// Client records: what is written reads back, what is broken grants nothing.
import { describe, expect, it } from 'vitest';
import type { Permissions } from '../../src/auth/client.ts';
import { changeRecord, fingerprintOfClient, newRecord, readRecord } from '../../src/auth/client-record.ts';

const ID = '0123456789abcdef01234567';
const NS = { database: null, collection: 'clients' };

function made(permissions: Permissions | null = null) {
  return newRecord(
    { clientId: 'reader', secret: 'not stored', accessType: 'user', permissions },
    { _id: ID, hash: 'the hash', now: 5 },
  );
}

describe('a new record', () => {
  it('reads back as it was meant, without the secret', () => {
    const permissions = { collections: [{ path: 'books', apiVersion: '1.0' }, { path: 'people' }] };
    const document = made(permissions);
    const record = readRecord(document);
    expect(record.standing.client).toEqual({ id: ID, clientId: 'reader', accessType: 'user', permissions });
    expect(record).toMatchObject({ v: 1, hash: 'the hash' });
    expect(JSON.stringify(document)).not.toContain('not stored');
    expect(document).toMatchObject({ createdAt: 5, v: 1 });
  });

  it('has a stamp of its own', () => {
    expect(readRecord(made()).standing.stamp).not.toBe(readRecord(made()).standing.stamp);
  });
});

describe('a change', () => {
  it('counts v up and names what differs', () => {
    const record = readRecord(made());
    const write = changeRecord(NS, record, { accessType: 'admin', permissions: {}, lastModifiedAt: 9 });
    expect(write).toMatchObject({ kind: 'update', ns: NS, id: ID, v: 1 });
    expect(write.document).toMatchObject({ v: 2, accessType: 'admin', permissions: {}, createdAt: 5 });
    expect(write.document['stamp']).toBe(record.standing.stamp);
    expect([...write.changed].sort()).toEqual(['accessType', 'lastModifiedAt', 'permissions', 'v']);
  });

  it('of nothing only counts v up', () => {
    expect(changeRecord(NS, readRecord(made()), {}).changed).toEqual(['v']);
  });

  it('of the secret changes the stamp', () => {
    const record = readRecord(made());
    const after = readRecord(changeRecord(NS, record, { hash: 'new hash' }).document);
    expect(after.hash).toBe('new hash');
    expect(after.standing.stamp).not.toBe(record.standing.stamp);
  });
});

describe('the right to approve', () => {
  it('is stored and taken away again, and part of what the audit log fingerprints', () => {
    const record = readRecord(made());
    const given = readRecord(changeRecord(NS, record, { reviewer: true }).document);
    expect([record.standing.client.reviewer, given.standing.client.reviewer]).toEqual([undefined, true]);
    const taken = readRecord(changeRecord(NS, given, { reviewer: false }).document);
    expect(taken.standing.client).toEqual(record.standing.client);
    expect(fingerprintOfClient(given.standing.client)).not.toBe(fingerprintOfClient(record.standing.client));
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
    expect(readRecord({ ...made(), ...broken }).standing.client).toMatchObject(client);
    expect(readRecord({ ...made(), ...broken }).standing.client).not.toHaveProperty('reviewer');
  });

  it('without text in place of the secret has a hash that nothing matches', () => {
    expect(readRecord({ _id: ID }).hash).toBe('');
  });
});
