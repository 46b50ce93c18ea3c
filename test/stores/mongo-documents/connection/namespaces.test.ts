import { expect, it } from 'vitest';
import {
  isDatabaseName,
  locateNamespace,
  namespaceDatabases,
} from '../../../../src/stores/mongo-documents/connection/namespaces.ts';

it.each(['library', 'my-site_2', 'é', 'a'.repeat(63), 'constructor'])(
  'a database may be called %j',
  (name) => {
    expect(isDatabaseName(name)).toBe(true);
  },
);

it.each([
  '',
  'admin',
  'local',
  'config',
  'a.b',
  'a b',
  'a/b',
  'a\\b',
  'a"b',
  'a$b',
  'a\0b',
  'a'.repeat(64),
  'é'.repeat(32),
])('a database must not be called %j', (name) => {
  expect(isDatabaseName(name)).toBe(false);
});

it('a namespace without a database is in that of the connection string', () => {
  expect(locateNamespace({ database: null, collection: 'books' }, 'site')).toEqual({
    database: 'site',
    collection: 'books',
  });
  expect(locateNamespace({ database: 'library', collection: 'books' }, 'site')).toEqual({
    database: 'library',
    collection: 'books',
  });
});

it('the database of the connection string is listed as null, and system databases are not listed', () => {
  expect(namespaceDatabases(['admin', 'config', 'library', 'local', 'site'], 'site')).toEqual([
    null,
    'library',
  ]);
});
