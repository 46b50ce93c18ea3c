import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { convertClient } from '../../../src/transfer/older/convert-client.ts';

const NAMES = new Set(['books', 'old_books', 'clientStore']);
const convert = (record: JsonObject) => convertClient({ clientId: 'web', secret: 's', ...record }, NAMES);

describe('a converted client', () => {
  it('may do everything, if it had no permissions before the fourth release', () => {
    expect(convert({ accessType: 'user' })).toEqual({
      clientId: 'web',
      secret: 's',
      notes: [],
      body: { clientId: 'web', accessType: 'user', permissions: null },
    });
    expect(convert({}).body).toMatchObject({ accessType: 'user', permissions: null });
    expect(convert({ accessType: 'admin', permissions: { collections: [] } }).body).toEqual({
      clientId: 'web',
      accessType: 'admin',
    });
    expect(convert({ accessType: 'superUser' }).body).toMatchObject({ accessType: 'admin' });
  });

  it('keeps its permissions by collection, endpoint and version', () => {
    const permissions = {
      collections: [{ path: 'books', apiVersion: '1.0', note: 'x' }, { path: 'people' }],
      endpoints: [{ path: 'report', apiVersion: null }],
    };
    expect(convert({ permissions }).body['permissions']).toEqual({
      collections: [{ path: 'books', apiVersion: '1.0' }, { path: 'people' }],
      endpoints: [{ path: 'report' }],
    });
    expect(convert({ permissions: { collections: [] } }).body['permissions']).toEqual({ collections: [] });
    expect(convert({ permissions: {} }).body['permissions']).toEqual({});
    expect(convert({ permissions: 'all' }).body['permissions']).toEqual({});
  });

  it('may do nothing from the fourth release on, but what its resources say', () => {
    for (const later of [
      { _createdAt: 1 },
      { _version: 1 },
      { roles: [] },
      { resources: {} },
      { data: {} },
    ]) {
      expect(convert(later).body['permissions']).toEqual({ collections: [], endpoints: [] });
    }
    const resources = {
      'collection:library_books': { read: true, create: true, update: false, delete: { filter: {} } },
      'collection:my_old_books': { readOwn: true, delete: true },
      'collection:unknown': { update: true },
      'media:mediaStore': { read: true },
      'endpoint:1.0_report': { read: true },
      'endpoint:none': { read: true },
      clients: { read: true },
      'collection:library_people': { read: false },
    };
    const { body, notes } = convert({ resources, roles: ['editor', 5] });
    expect(body['permissions']).toEqual({
      collections: [
        { path: 'books', database: 'library', actions: ['read', 'create', 'history'] },
        { path: 'old_books', database: 'my', actions: ['delete'] },
        { path: 'unknown', actions: ['update'] },
        { path: 'mediaStore', actions: ['read', 'history'] },
      ],
      endpoints: [{ path: 'report', apiVersion: '1.0' }],
    });
    expect(notes).toEqual([
      'what is limited to some documents or fields is not permitted: collection:library_books, collection:my_old_books',
      'not carried over: endpoint:none, clients',
      'its roles are not carried over, nor what they permitted: editor',
    ]);
  });

  it('reads resources that are a list, and nothing else that is none', () => {
    const resources = [{ name: 'collection:library_books', access: { read: true } }, 'x', { name: 5 }];
    expect(convert({ resources }).body['permissions']).toMatchObject({
      collections: [{ path: 'books', database: 'library' }],
    });
    expect(convert({ resources: 'all' }).body['permissions']).toEqual({ collections: [], endpoints: [] });
  });

  it.each([
    ['a hash', { secret: `$2b$10$${'a'.repeat(53)}` }],
    ['a secret that the record says is hashed', { secret: 'abc', _hashVersion: 1 }],
    ['nothing', { secret: '' }],
    ['a number', { secret: 5 }],
  ])('has no secret where there is %s', (_, record) => {
    expect(convert(record).secret).toBeUndefined();
  });

  it('without an id has one that no client can have', () => {
    expect(convertClient({ secret: 's' }, NAMES).clientId).toBe('');
  });
});
