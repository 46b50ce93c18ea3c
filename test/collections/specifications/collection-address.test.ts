import { expect, test } from 'vitest';
import {
  checkCollectionAddress,
  collectionNameIssue,
  databaseNameIssue,
  namespaceOf,
} from '../../../src/collections/specifications/collection-address.ts';

const good = { version: '1.0', database: 'library', name: 'books' };

test('an ordinary address of a collection has no issue', () => {
  for (const change of [
    {},
    { version: 'v1' },
    { name: 'a.b' },
    { name: '_x-1' },
    { database: 'x'.repeat(63) },
  ]) {
    expect(checkCollectionAddress({ ...good, ...change })).toEqual([]);
  }
});

test.each([
  ['version', 'api'],
  ['version', 'media'],
  ['version', 'favicon.ico'],
  ['version', '..'],
  ['version', '.hidden'],
  ['version', ''],
  ['version', 'a/b'],
  ['version', 'a..b'],
  ['version', 'a\nb'],
  ['version', 'x'.repeat(201)],
  ['database', 'admin'],
  ['database', 'Local'],
  ['database', 'config'],
  ['database', 'a.b'],
  ['database', 'x'.repeat(64)],
  ['database', '%2e'],
  ['name', 'system.users'],
  ['name', 'cloister.clients'],
  ['name', 'Cloister.clients'],
  ['name', 'config'],
  ['name', 'books.'],
  ['name', 'SYSTEM.views'],
  ['name', 'é'],
  ['name', 'x'.repeat(250)],
])('a collection address with the %s %j is rejected', (part, value) => {
  const field = part === 'name' ? 'collection' : part;
  expect(checkCollectionAddress({ ...good, [part]: value }).map((item) => item.field)).toEqual([field]);
});

test('names of databases and collections are checked one by one, and for their length together', () => {
  expect(databaseNameIssue('library')).toBeUndefined();
  expect(collectionNameIssue('books', 'library')).toBeUndefined();
  expect(collectionNameIssue('x'.repeat(199), 'y'.repeat(60))).toContain('longer than 255');
});

test('the version is no part of a namespace', () => {
  expect(namespaceOf(good, false)).toEqual({ database: null, collection: 'books' });
  expect(namespaceOf({ ...good, version: '2.0' }, true)).toEqual({
    database: 'library',
    collection: 'books',
  });
});
