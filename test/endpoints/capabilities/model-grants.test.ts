import { expect, test } from 'vitest';
import type { CollectionMethod } from '../../../src/collections/documents.ts';
import { findGrant, withinGrants } from '../../../src/endpoints/capabilities/model-grants.ts';
import { callerNamed, collectionOf } from '../../collections/library.ts';
import { grantOf } from './module.ts';

const books = grantOf('1.0/library/books', { actions: ['find'] });

test('a name means whole parts of a path, from its end', () => {
  for (const name of ['books', 'library/books', '1.0/library/books']) {
    expect(findGrant([books], name, 'find')).toBe(books);
  }
  for (const name of ['ooks', 'y/books', '.0/library/books', '/1.0/library/books', 'library', 'books/', '']) {
    expect(() => findGrant([books], name, 'find')).toThrow(expect.objectContaining({ code: 'NOT_GRANTED' }));
  }
});

test('two grants on one collection add up', () => {
  const writes = grantOf('1.0/library/books', { actions: ['create'], as: 'client:robot' });
  expect(findGrant([books, writes], 'books', 'find')).toBe(books);
  expect(findGrant([books, writes], 'books', 'create')).toBe(writes);
  expect(() => findGrant([books, writes], 'books', 'delete')).toThrow();
});

test('a caller within grants may what both allow', () => {
  const source = { fields: { title: { type: 'String' } } };
  const people = collectionOf('people', source);
  const other = collectionOf('other', source);
  const grants = [
    grantOf('1.0/library/people', { actions: ['find', 'update', 'create'] }),
    grantOf('1.0/library/other', { actions: ['count', 'stats'] }),
  ];
  const caller = withinGrants(callerNamed('ann', ['people', 'PUT']), grants);
  const methods: readonly CollectionMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];
  expect(methods.filter((method) => caller.may(people, method))).toEqual(['GET', 'POST']);
  expect(methods.filter((method) => caller.may(other, method))).toEqual([]);
  expect(caller.name).toBe('ann');
});
