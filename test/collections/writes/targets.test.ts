import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFilterCompiler } from '../../../src/collections/filters/compile.ts';
import { createVisibleCollections } from '../../../src/collections/model/access.ts';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import { loadTargets } from '../../../src/collections/writes/targets.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, LIMITS, type Library, openLibrary } from '../library-service.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary({ books: { fields: { title: {}, pages: { type: 'Number' } } } });
  await library.create('books', [{ title: 'A', pages: 1 }, { title: 'B' }]);
});

afterEach(() => library.close());

function load(target: { id: string } | { query: JsonObject }, writeMatches = 5, context = contextOf()) {
  const { store } = library;
  const registry = createCollectionRegistry();
  const filters = createFilterCompiler({
    store,
    registry,
    limits: LIMITS,
    visible: createVisibleCollections(),
  });
  const deps = { store, registry, filters, limits: { ...LIMITS, writeMatches } };
  const collection = library.at('books');
  return loadTargets(deps, { collection, target, action: 'update', projection: { include: ['v'] } }, context);
}

test('only the fields of the projection are read', async () => {
  const [first] = await library.all('books');
  const id = String(first!['_id']);
  expect(await load({ id: id.toUpperCase() })).toEqual([{ v: 1, _id: id }]);
  const found = await load({ query: { title: 'b' } });
  expect(found.map((document) => Object.keys(document))).toEqual([['v', '_id']]);
});

test('as many documents as the limit may match, and no more', async () => {
  expect(await load({ query: {} }, 2)).toHaveLength(2);
  await expect(load({ query: {} }, 1)).rejects.toMatchObject({ code: 'WRITE_TOO_LARGE' });
});

test('a request may have a lower limit, never a higher one', async () => {
  const limited = (maxMatches: number) => ({ ...contextOf(), maxMatches });
  expect(await load({ query: {} }, 5, limited(2))).toHaveLength(2);
  const lower = load({ query: {} }, 5, limited(1));
  await expect(lower).rejects.toMatchObject({ code: 'WRITE_TOO_LARGE', items: [{ field: 'query' }] });
  await expect(load({ query: {} }, 1, limited(100))).rejects.toMatchObject({ code: 'WRITE_TOO_LARGE' });
});

test('a deadline that has passed ends the read', async () => {
  const late = { ...contextOf(), deadline: Date.now() - 1000 };
  const reading = load({ query: { title: { $regex: 'x' } } }, 5, late);
  await expect(reading).rejects.toMatchObject({ reason: 'timeout' });
});
