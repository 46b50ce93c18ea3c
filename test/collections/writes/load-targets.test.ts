import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFilterCompiler } from '../../../src/collections/filters/compile.ts';
import { createRegistry } from '../../../src/collections/model/registry.ts';
import { createWriteTargets } from '../../../src/collections/writes/load-targets.ts';
import { contextOf, LIMITS, type Library, openLibrary } from '../library-service.ts';

let library: Library;

beforeEach(async () => {
  library = await openLibrary({ books: { fields: { title: {}, pages: { type: 'Number' } } } });
  await library.create('books', [{ title: 'A', pages: 1 }, { title: 'B' }]);
});

afterEach(() => library.close());

function affectedBy(limit: number) {
  const { store } = library;
  const filters = createFilterCompiler({ store, registry: createRegistry(), limits: LIMITS });
  return createWriteTargets({ store, filters, limit });
}

test('reads only what is asked for', async () => {
  const collection = library.at('books');
  const [first] = await library.all('books');
  const projection = { include: ['v'] };
  const target = { collection, id: String(first!['_id']) };
  expect(await affectedBy(5).one(target, contextOf(), { projection })).toEqual({ v: 1, _id: target.id });
  const found = await affectedBy(5).matching({ collection, query: { title: 'b' } }, contextOf(), {
    projection,
  });
  expect(found.map((document) => Object.keys(document))).toEqual([['v', '_id']]);
  expect(await affectedBy(5).left(collection, contextOf())).toBe(2);
});

test('the limit itself still fits', async () => {
  const target = { collection: library.at('books'), query: {} };
  expect(await affectedBy(2).matching(target, contextOf(), {})).toHaveLength(2);
  await expect(affectedBy(1).matching(target, contextOf(), {})).rejects.toMatchObject({
    code: 'WRITE_TOO_LARGE',
  });
});

test('a request may be bound tighter, never looser', async () => {
  const target = { collection: library.at('books'), query: {} };
  const bound = (maxMatches: number) => ({ ...contextOf(), maxMatches });
  expect(await affectedBy(5).matching(target, bound(2), {})).toHaveLength(2);
  const tight = affectedBy(5).matching(target, bound(1), {});
  await expect(tight).rejects.toMatchObject({ code: 'WRITE_TOO_LARGE', items: [{ field: 'query' }] });
  const loose = affectedBy(1).matching(target, bound(100), {});
  await expect(loose).rejects.toMatchObject({ code: 'WRITE_TOO_LARGE' });
});

test('a deadline that is over ends the work', async () => {
  const target = { collection: library.at('books'), query: { title: { $regex: 'x' } } };
  const late = { ...contextOf(), deadline: Date.now() - 1000 };
  await expect(affectedBy(5).matching(target, late, {})).rejects.toMatchObject({ reason: 'timeout' });
});
