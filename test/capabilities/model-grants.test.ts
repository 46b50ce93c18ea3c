import { expect, test } from 'vitest';
import { findCollectionGrant, restrictCaller } from '../../src/capabilities/model-grants.ts';
import type { CollectionMethod } from '../../src/collections/model/documents.ts';
import { callerNamed, collectionOf } from '../collections/library-service.ts';
import { grantOf } from './module.ts';

const books = grantOf('1.0/library/books', { actions: ['find'] });

test('a Model name matches whole segments at the end of a path', () => {
  for (const name of ['books', 'library/books', '1.0/library/books']) {
    expect(findCollectionGrant([books], name, 'find')).toBe(books);
  }
  for (const name of ['ooks', 'y/books', '.0/library/books', '/1.0/library/books', 'library', 'books/', '']) {
    expect(() => findCollectionGrant([books], name, 'find')).toThrow(
      expect.objectContaining({ code: 'NOT_GRANTED' }),
    );
  }
});

test('actions of two grants on one collection add up', () => {
  const writes = grantOf('1.0/library/books', { actions: ['create'], as: 'client:robot' });
  expect(findCollectionGrant([books, writes], 'books', 'find')).toBe(books);
  expect(findCollectionGrant([books, writes], 'books', 'create')).toBe(writes);
  expect(() => findCollectionGrant([books, writes], 'books', 'delete')).toThrow();
});

test('a restricted caller may do what both caller and grants allow', () => {
  const source = { fields: { title: { type: 'String' } } };
  const people = collectionOf('people', source);
  const other = collectionOf('other', source);
  const grants = [
    grantOf('1.0/library/people', { actions: ['find', 'update', 'create'] }),
    grantOf('1.0/library/other', { actions: ['count', 'stats'] }),
  ];
  const caller = restrictCaller(callerNamed('ann', ['people', 'PUT']), grants);
  const methods: readonly CollectionMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];
  expect(methods.filter((method) => caller.may(people, method))).toEqual(['GET', 'POST']);
  expect(methods.filter((method) => caller.may(other, method))).toEqual([]);
  expect(caller.name).toBe('ann');
});
