import { expect, it } from 'vitest';
import { isDatabaseName, placeOf, spaceKey, spacesOf } from '../../../src/stores/mongo-documents/names.ts';

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
  expect(placeOf({ database: null, collection: 'books' }, 'site')).toEqual({
    database: 'site',
    collection: 'books',
  });
  expect(placeOf({ database: 'library', collection: 'books' }, 'site')).toEqual({
    database: 'library',
    collection: 'books',
  });
});

it('names the database of the connection string null, and leaves out those of the server', () => {
  expect(spacesOf(['admin', 'config', 'library', 'local', 'site'], 'site')).toEqual([null, 'library']);
});

it('keeps name spaces apart whose names hold slashes', () => {
  const inner = spaceKey({ database: null, collection: 'a/b' });
  expect(spaceKey({ database: 'a', collection: 'b' })).not.toBe(inner);
});
