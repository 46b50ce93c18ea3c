import { expect, test } from 'vitest';
import { createCollectionRegistry, referenceTarget } from '../../../src/collections/model/registry.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { collectionOf } from '../library-service.ts';

test('an absent setting means the same collection, the same database; a wrong one leads nowhere', () => {
  const reference = (settings: JsonObject) => ({ type: 'Reference', settings });
  const books = collectionOf('books', {
    fields: {
      same: { type: 'Reference' },
      other: reference({ collection: 'people' }),
      far: reference({ database: 'archive', collection: 'people' }),
      gone: reference({ collection: 'nope' }),
      proto: reference({ collection: '__proto__' }),
    },
  });
  const people = collectionOf('people', { fields: { name: {} } });
  const archived = collectionOf('people', { fields: { name: {} } }, 'archive');
  const registry = createCollectionRegistry();
  for (const collection of [books, people, archived]) registry.put(collection);
  const targets = [...books.fields.values()].map((field) => referenceTarget(registry, books, field)?.path);
  expect(targets).toEqual([books.path, people.path, archived.path, undefined, undefined]);
});

test('a database without the collection is the own one, as long as all share their documents', () => {
  const fields = { pal: { type: 'Reference', settings: { database: 'archive', collection: 'people' } } };
  const apart = collectionOf('people', { fields });
  const shared = { ...apart, namespace: { ...apart.namespace, database: null } };
  const registry = createCollectionRegistry();
  registry.put(shared);
  const pal = apart.fields.get('pal')!;
  expect(referenceTarget(registry, shared, pal)).toBe(shared);
  expect(referenceTarget(registry, apart, pal)).toBeUndefined();
});
