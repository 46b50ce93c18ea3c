import { beforeEach, describe, expect, it, test } from 'vitest';
import {
  type Collection,
  type CollectionRegistry,
  referenceTarget,
} from '../../../src/collections/model/collection.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { namespaceKey } from '../../../src/stores/ports.ts';
import { collectionOf } from '../library-service.ts';

/** The registry looks at addresses, namespaces and revision settings only. */
function collection(
  path: string,
  settings: Partial<Collection['settings']> = {},
  database: string | null = null,
) {
  const [, version = '', folder = '', name = ''] = path.split('/');
  const defaults = { storeRevisions: false, revisionCollection: `${name}History` };
  return {
    version,
    database: folder,
    name,
    path,
    namespace: { database, collection: name },
    settings: { ...defaults, ...settings },
  } as Collection;
}

let registry: CollectionRegistry;

beforeEach(() => {
  registry = createCollectionRegistry();
});

describe('registry', () => {
  it('finds a collection by its address and by no other', () => {
    const books = collection('/1.0/library/books');
    registry.put(books);
    expect(registry.get('1.0', 'library', 'books')).toBe(books);
    expect(registry.get('2.0', 'library', 'books')).toBeUndefined();
    expect(registry.get('1.0', 'library', 'Books')).toBeUndefined();
    expect(registry.get('__proto__', 'constructor', 'toString')).toBeUndefined();
  });

  it('replaces an entry whole and forgets a removed one', () => {
    registry.put(collection('/1.0/library/books'));
    const replaced = collection('/1.0/library/books', { pageSize: 7 });
    registry.put(replaced);
    expect(registry.list()).toEqual([replaced]);
    registry.remove(replaced);
    expect(registry.list()).toEqual([]);
    expect(registry.get('1.0', 'library', 'books')).toBeUndefined();
  });

  it('lists by path', () => {
    for (const path of ['/1.0/b/x', '/2.0/a/x', '/1.0/a/y']) registry.put(collection(path));
    expect(registry.list().map(({ path }) => path)).toEqual(['/1.0/a/y', '/1.0/b/x', '/2.0/a/x']);
  });

  it('knows who shares documents', () => {
    registry.put(collection('/1.0/library/books'));
    registry.put(collection('/2.0/library/books'));
    registry.put(collection('/1.0/shop/books', {}, 'shop'));
    const shared = registry.withNamespace({ database: null, collection: 'books' });
    expect(shared.map(({ path }) => path)).toEqual(['/1.0/library/books', '/2.0/library/books']);
  });

  it('knows where revisions are kept, as long as they are', () => {
    const past = collection('/1.0/library/booksHistory');
    registry.put(past);
    expect(registry.isRevisionCollection(past)).toBe(false);
    const books = collection('/1.0/library/books', { storeRevisions: true });
    registry.put(books);
    expect(registry.isRevisionCollection(past)).toBe(true);
    registry.remove(books);
    expect(registry.isRevisionCollection(past)).toBe(false);
  });

  it('knows where media records are, also for a collection that only shares them', () => {
    const plain = collection('/2.0/library/images');
    const elsewhere = collection('/1.0/shop/images', {}, 'shop');
    for (const entry of [plain, elsewhere]) registry.put(entry);
    expect(registry.holdsRecords(plain)).toBe(false);
    const images = collection('/1.0/library/images', { media: true });
    expect(registry.holdsRecords(images)).toBe(true);
    registry.put(images);
    expect([plain, elsewhere].map(registry.holdsRecords)).toEqual([true, false]);
    registry.remove(images);
    expect(registry.holdsRecords(plain)).toBe(false);
  });

  it('keeps revisions of another namespace apart', () => {
    registry.put(collection('/1.0/shop/books', { storeRevisions: true }, 'shop'));
    expect(registry.isRevisionCollection(collection('/1.0/library/booksHistory'))).toBe(false);
  });
});

it('a namespace has one key', () => {
  expect(namespaceKey({ database: null, collection: 'a' })).not.toBe(
    namespaceKey({ database: 'a', collection: 'a' }),
  );
});

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
