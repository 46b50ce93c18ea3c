// Access decisions: public methods, permissions by name and version, admins.
import { describe, expect, it } from 'vitest';
import { authorizeCollection, authorizeEndpoint, createCaller } from '../../src/auth/authorize.ts';
import type { Client, Permissions } from '../../src/auth/clients/client.ts';
import type { Collection } from '../../src/collections/model/collection.ts';

const collection = (authenticate: boolean | readonly string[] = true, name = 'books', version = '1.0') => ({
  name,
  version,
  settings: { authenticate },
});

const client = (permissions: Permissions | null, accessType: Client['accessType'] = 'user'): Client => ({
  id: '0'.repeat(24),
  clientId: 'reader',
  accessType,
  permissions,
  roles: [],
});

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

describe('the access decision for a collection', () => {
  it.each(METHODS)('wants a token for %s where authentication applies', (method) => {
    expect(authorizeCollection(null, collection(true), method)).toBe('no-token');
    expect(authorizeCollection(null, collection(false), method)).toBe('ok');
  });

  it('wants one only for the listed methods', () => {
    const writes = collection(['POST', 'PUT', 'DELETE']);
    expect(METHODS.map((method) => authorizeCollection(null, writes, method))).toEqual([
      'ok',
      'ok',
      'no-token',
      'no-token',
      'no-token',
    ]);
  });

  it('wants a token, and the right, to write media, whatever authentication applies', () => {
    const media = { ...collection(false), settings: { authenticate: false, media: true } };
    const decisions = METHODS.map((method) => authorizeCollection(null, media, method));
    expect(decisions).toEqual(['ok', 'ok', 'no-token', 'no-token', 'no-token']);
    expect(authorizeCollection(client({ collections: [{ path: 'films' }] }), media, 'POST')).toBe('denied');
    expect(authorizeCollection(client(null), media, 'POST')).toBe('ok');
  });

  it('counts HEAD as GET on both sides', () => {
    expect(authorizeCollection(null, collection(['GET']), 'HEAD')).toBe('no-token');
    expect(authorizeCollection(null, collection(['HEAD']), 'GET')).toBe('no-token');
    expect(authorizeCollection(null, collection([]), 'HEAD')).toBe('ok');
  });

  it.each([
    ['no restriction', null, 'ok'],
    ['the name', { collections: [{ path: 'books' }] }, 'ok'],
    ['name and version', { collections: [{ path: 'books', apiVersion: '1.0' }] }, 'ok'],
    ['another version', { collections: [{ path: 'books', apiVersion: '2.0' }] }, 'denied'],
    ['another name', { collections: [{ path: 'book' }, { path: 'booksHistory' }] }, 'denied'],
    ['an empty list', { collections: [] }, 'denied'],
    ['endpoints only', { endpoints: [{ path: 'books' }] }, 'denied'],
    ['nothing', {}, 'denied'],
  ] as const)('with permission for %s', (_case, permissions, decision) => {
    expect(authorizeCollection(client(permissions), collection(), 'GET')).toBe(decision);
  });

  it('lets admins pass whatever their permissions say', () => {
    expect(authorizeCollection(client({}, 'admin'), collection(), 'DELETE')).toBe('ok');
  });

  it('does not refuse a known client what it allows anyone', () => {
    expect(authorizeCollection(client({}), collection(false), 'POST')).toBe('ok');
  });
});

describe('the caller of a request', () => {
  it('names the client and answers for its rights', () => {
    const books = collection() as Collection;
    const limited = createCaller(client({ collections: [{ path: 'people' }] }));
    expect(limited.clientId).toBe('reader');
    expect(limited.may(books, 'GET')).toBe(false);
    expect(limited.may({ ...books, name: 'people' }, 'PUT')).toBe(true);
  });

  it('is nobody without a client', () => {
    const nobody = createCaller(null);
    expect(nobody.clientId).toBeNull();
    expect(nobody.may(collection() as Collection, 'GET')).toBe(false);
    expect(nobody.may(collection(['POST']) as Collection, 'GET')).toBe(true);
  });
});

describe('the access decision for an endpoint', () => {
  const report = (authenticate: boolean | readonly string[] = true) => ({
    name: 'report',
    version: '1.0',
    authenticate,
  });

  it('wants a token where the module does', () => {
    expect(authorizeEndpoint(null, report(), 'GET')).toBe('no-token');
    expect(authorizeEndpoint(null, report(false), 'GET')).toBe('ok');
    expect(authorizeEndpoint(null, report(['POST']), 'GET')).toBe('ok');
    expect(authorizeEndpoint(null, report(['GET']), 'HEAD')).toBe('no-token');
    expect(authorizeEndpoint(client(null), report(), 'PATCH')).toBe('ok');
  });

  it.each([
    ['the name', { endpoints: [{ path: 'report' }] }, 'ok'],
    ['name and version', { endpoints: [{ path: 'report', apiVersion: '1.0' }] }, 'ok'],
    ['another version', { endpoints: [{ path: 'report', apiVersion: '2.0' }] }, 'denied'],
    ['collections only', { collections: [{ path: 'report' }] }, 'denied'],
    ['nothing', {}, 'denied'],
  ] as const)('with permission for %s', (_case, permissions, decision) => {
    expect(authorizeEndpoint(client(permissions), report(), 'GET')).toBe(decision);
    expect(authorizeEndpoint(client(permissions), report(false), 'GET')).toBe('ok');
    expect(authorizeEndpoint(client(permissions, 'admin'), report(), 'GET')).toBe('ok');
  });
});
