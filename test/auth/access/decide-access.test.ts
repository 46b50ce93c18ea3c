// Access decisions without rules: public methods, permissions by name, version, database and action, admins.
import { describe, expect, it, test } from 'vitest';
import { createCallers } from '../../../src/auth/access/callers.ts';
import { decideAccess, type RuledCollection } from '../../../src/auth/access/decide-access.ts';
import { decideEndpoint } from '../../../src/auth/access/permissions.ts';
import type { Client, Permissions } from '../../../src/auth/clients/client.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { ACCESS_ACTIONS, type AccessAction } from '../../../src/lib/access-actions.ts';
import { collection } from '../../http/fixtures.ts';

const books = (authenticate: boolean | readonly string[] = true, media = false): RuledCollection =>
  collection('books', { settings: { authenticate, media } });

const client = (permissions: Permissions | null, accessType: Client['accessType'] = 'user'): Client => ({
  id: '0'.repeat(24),
  clientId: 'reader',
  accessType,
  permissions,
  roles: [],
});

/** What somebody may do with a collection. */
function actionsOf(somebody: Client | null, of: RuledCollection): readonly AccessAction[] {
  const access = decideAccess(somebody, of);
  return ACCESS_ACTIONS.filter((action) => access[action] !== null);
}

const WRITES = ['create', 'update', 'delete'];

describe('the access decision for a collection without rules', () => {
  it('wants a token where authentication applies', () => {
    expect(actionsOf(null, books(true))).toEqual([]);
    expect(actionsOf(null, books(false))).toEqual(ACCESS_ACTIONS);
  });

  it('wants one only for the listed methods', () => {
    expect(actionsOf(null, books(['POST', 'PUT', 'DELETE']))).toEqual(['read', 'history']);
  });

  it('wants a token, and the right, to write media, whatever authentication applies', () => {
    expect(actionsOf(null, books(false, true))).toEqual(['read', 'history']);
    const other = client({ collections: [{ path: 'films' }] });
    expect(actionsOf(other, books(false, true))).toEqual(['read', 'history']);
    expect(actionsOf(client(null), books(false, true))).toEqual(ACCESS_ACTIONS);
  });

  it('counts HEAD as GET', () => {
    expect(actionsOf(null, books(['HEAD']))).toEqual(WRITES);
    expect(actionsOf(null, books(['GET']))).toEqual(WRITES);
  });

  it.each([
    ['no restriction', null, ACCESS_ACTIONS],
    ['the name', { collections: [{ path: 'books' }] }, ACCESS_ACTIONS],
    ['name and version', { collections: [{ path: 'books', apiVersion: '1.0' }] }, ACCESS_ACTIONS],
    ['another version', { collections: [{ path: 'books', apiVersion: '2.0' }] }, []],
    ['the database', { collections: [{ path: 'books', database: 'library' }] }, ACCESS_ACTIONS],
    ['another database', { collections: [{ path: 'books', database: 'shop' }] }, []],
    ['another name', { collections: [{ path: 'book' }, { path: 'booksHistory' }] }, []],
    ['an empty list', { collections: [] }, []],
    ['endpoints only', { endpoints: [{ path: 'books' }] }, []],
    ['nothing', {}, []],
    ['reading everything', { actions: ['read'] }, ['read']],
    ['some actions of the name', { collections: [{ path: 'books', actions: ['create'] }] }, ['create']],
    [
      'actions of which the entry names others',
      { actions: ['read'], collections: [{ path: 'books', actions: ['read', 'delete'] }] },
      ['read'],
    ],
  ] as const)('with permission for %s', (_case, permissions, expected) => {
    expect(actionsOf(client(permissions), books())).toEqual(expected);
  });

  it('lets admins pass whatever their permissions say', () => {
    expect(actionsOf(client({}, 'admin'), books())).toEqual(ACCESS_ACTIONS);
  });

  it('does not refuse a known client what it allows anyone', () => {
    expect(actionsOf(client({}), books(false))).toEqual(ACCESS_ACTIONS);
  });

  it('gives users of other issuers what anyone has', () => {
    const user = { ...client(null), clientId: 'idp:ann', issuer: 'idp' };
    expect(actionsOf(user, books())).toEqual([]);
    expect(actionsOf(user, books(['DELETE']))).toEqual(['read', 'create', 'update', 'history']);
  });
});

test('a caller has the name of its client, one object for each client, and one decision for each collection', () => {
  const createCaller = createCallers(createCollectionRegistry());
  const limited = client({ collections: [{ path: 'people' }] });
  const caller = createCaller(limited);
  expect([caller.clientId, createCaller(null).clientId]).toEqual(['reader', null]);
  expect(createCaller(limited)).toBe(caller);
  const people = collection('people');
  expect(caller.access(people)).toBe(caller.access(people));
  expect([caller.access(people).read, caller.access(collection('books')).read]).toEqual([
    { kind: 'and', filters: [] },
    null,
  ]);
});

describe('the access decision for an endpoint', () => {
  const report = (authenticate: boolean | readonly string[] = true) => ({
    name: 'report',
    version: '1.0',
    authenticate,
  });

  it('wants a token where the module does', () => {
    expect(decideEndpoint(null, report(), 'GET')).toBe('no-token');
    expect(decideEndpoint(null, report(false), 'GET')).toBe('ok');
    expect(decideEndpoint(null, report(['POST']), 'GET')).toBe('ok');
    expect(decideEndpoint(null, report(['GET']), 'HEAD')).toBe('no-token');
    expect(decideEndpoint(client(null), report(), 'PATCH')).toBe('ok');
  });

  it.each([
    ['the name', { endpoints: [{ path: 'report' }] }, 'ok'],
    ['name and version', { endpoints: [{ path: 'report', apiVersion: '1.0' }] }, 'ok'],
    ['another version', { endpoints: [{ path: 'report', apiVersion: '2.0' }] }, 'denied'],
    ['collections only', { collections: [{ path: 'report' }] }, 'denied'],
    ['nothing', {}, 'denied'],
  ] as const)('with permission for %s', (_case, permissions, decision) => {
    expect(decideEndpoint(client(permissions), report(), 'GET')).toBe(decision);
    expect(decideEndpoint(client(permissions), report(false), 'GET')).toBe('ok');
    expect(decideEndpoint(client(permissions, 'admin'), report(), 'GET')).toBe('ok');
  });
});
