import { expect, it } from 'vitest';
import {
  isDatabaseName,
  locateNamespace,
  namespaceDatabases,
  namespaceKey,
} from '../../../../src/stores/mongo-documents/connection/namespaces.ts';

it.each(['library', 'my-site_2', 'é', 'a'.repeat(63), 'constructor'])('%j may hold documents', (name) => {
  expect(isDatabaseName(name)).toBe(true);
});

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
])('%j may not', (name) => {
  expect(isDatabaseName(name)).toBe(false);
});

it('puts name spaces without a database into that of the connection string', () => {
  expect(locateNamespace({ database: null, collection: 'books' }, 'site')).toEqual({
    database: 'site',
    collection: 'books',
  });
  expect(locateNamespace({ database: 'library', collection: 'books' }, 'site')).toEqual({
    database: 'library',
    collection: 'books',
  });
});

it('names the database of the connection string null, and leaves out those of the server', () => {
  expect(namespaceDatabases(['admin', 'config', 'library', 'local', 'site'], 'site')).toEqual([
    null,
    'library',
  ]);
});

it('keeps name spaces apart whose names hold slashes', () => {
  const inner = namespaceKey({ database: null, collection: 'a/b' });
  expect(namespaceKey({ database: 'a', collection: 'b' })).not.toBe(inner);
});
