// Declared indexes on real servers: made, kept, changed, dropped, and those of others left alone.
import { expect, test } from 'vitest';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openBench, openIndexing, SPACE } from './workbench.ts';

const UNIQUE = { unique: true };

describeMongo('declared indexes', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('are built as declared, ending in _id, on %s', async (_, server) => {
    const { ensure, books, indexing } = await openBench(server);
    const title = index('by title', { title: -1 });
    await ensure([index('isbn', { isbn: 1 }, { unique: true, sparse: true }), title]);
    const found = await books.listIndexes().toArray();
    expect(found).toMatchObject([
      { name: '_id_' },
      { name: 'isbn', key: { isbn: 1 }, unique: true, sparse: true },
      { name: 'by title', key: { title: -1, _id: -1 } },
    ]);
    expect(found[2]).not.toHaveProperty('collation');
    expect(indexing.cache.of(SPACE)).toEqual([
      expect.objectContaining({ name: 'isbn', endsInId: false, isUnique: false }),
      { definition: title, name: 'by title', endsInId: true, isUnique: false },
    ]);
  });

  test('take one listing if nothing has changed', async () => {
    const { ensure, uri, database, names } = await openBench(standalone);
    const declared = [index('a', { a: 1 }, UNIQUE), index('b', { b: 1 })];
    await ensure(declared);
    await database.collection('cloister.indexes').drop();
    await openIndexing(uri).ensure(declared);
    expect(await names()).toEqual(['a', 'b']);
    expect(await database.listCollections({ name: 'cloister.indexes' }).toArray()).toEqual([]);
  });

  test('are dropped once undeclared, by any process', async () => {
    const { ensure, uri, names, recorded } = await openBench(standalone);
    await ensure([index('a', { a: 1 }, UNIQUE), index('b', { b: 1 })]);
    expect(await recorded()).toEqual(['a', 'b']);
    await openIndexing(uri).ensure([index('c', { c: 1 })]);
    expect(await names()).toEqual(['c']);
    expect(await recorded()).toEqual(['c']);
  });

  test('can change under the same name', async () => {
    const { ensure, books, names } = await openBench(standalone);
    const kept = async () => (await books.listIndexes().toArray()).slice(1).map(({ key }) => key);
    await ensure([index('a', { a: 1 })]);
    await ensure([index('a', { b: 1 })]);
    expect(await kept()).toEqual([{ b: 1, _id: 1 }]);
    await ensure([index('a', { b: 1 }, UNIQUE)]);
    expect(await kept()).toEqual([{ b: 1 }]);
    await ensure([index('a', { b: 1 }, { unique: true, sparse: true })]);
    expect(await books.listIndexes().toArray()).toMatchObject([{}, { unique: true, sparse: true }]);
    await ensure([index('a', { b: 1 })]);
    expect(await names()).toHaveLength(1);
    expect(await kept()).toEqual([{ b: 1, _id: 1 }]);
  });

  test('stay unchanged if data violate a new unique index', async () => {
    const { ensure, books, names, recorded, indexing } = await openBench(replicaSet);
    await books.insertMany([
      { a: 1, b: 1, c: 1 },
      { a: 1, b: 2, c: 2 },
    ]);
    await ensure([index('x', { c: 1 })]);
    const before = indexing.cache.of(SPACE);
    const refused = ensure([index('b', { b: 1 }, UNIQUE), index('x', { a: 1 }, UNIQUE)]);
    expect(await failureOf(refused)).toMatchObject({ reason: 'duplicate', fields: ['a'] });
    expect(await names()).toEqual(['x']);
    expect(await recorded()).toEqual(['x']);
    expect(indexing.cache.of(SPACE)).toEqual(before);
  });

  test('that data violate leave the old index in force, and the others are built', async () => {
    const { ensure, books, names, recorded } = await openBench(standalone);
    await ensure([index('x', { c: 1 })]);
    await books.insertOne({ a: [1], b: [2] });
    const refused = ensure([index('x', { a: 1, b: 1 }), index('y', { b: 1 })]);
    expect(await failureOf(refused)).toMatchObject({ reason: 'parallel-arrays', fields: ['a', 'b'] });
    expect(await names()).toEqual(['x', 'y']);
    expect((await recorded()).sort()).toEqual(['x', 'y']);
    const unique = ensure([index('ab', { a: 1, b: 1 }, UNIQUE), index('z', { z: 1 }, UNIQUE)]);
    expect(await failureOf(unique)).toMatchObject({ reason: 'parallel-arrays', fields: ['a', 'b'] });
    expect(await names()).toEqual(['x', 'y']);
  });

  test('may be sixty-three, also all others than before', async () => {
    const { ensure, names } = await openBench(standalone);
    const all = (field: string) =>
      Array.from({ length: 62 }, (_, n) => index(`${field}${n}`, { [`${field}${n}`]: 1 }));
    await ensure([...all('a'), index('u', { u: 1 }, UNIQUE)]);
    expect(await names()).toHaveLength(63);
    await ensure([...all('b'), index('v', { v: 1 }, UNIQUE)]);
    expect((await names()).every((name) => /^[bv]/.test(name))).toBe(true);
    expect(await names()).toHaveLength(63);
  });

  test('with the same keys share one index', async () => {
    const { ensure, names, indexing } = await openBench(standalone);
    await ensure([index('a', { a: 1 }), index('b', { a: 1, _id: 1 }), index('c', { a: 1, _id: 1 }, UNIQUE)]);
    expect(await names()).toEqual(['a']);
    expect(indexing.cache.of(SPACE).map(({ name }) => name)).toEqual(['a', 'a', 'a']);
  });

  test('may have any name', async () => {
    const { ensure, names } = await openBench(standalone);
    const odd = ['*', '$x', 'a.b', '__proto__', 'x'.repeat(127), 'a~folded'];
    const declared = odd.map((name, n) => index(name, { [`f${n}`]: 1 }));
    await ensure([...declared, index('a', { a: 1 })]);
    expect(await names()).toHaveLength(7);
    await ensure([]);
    expect(await names()).toEqual([]);
  });
});
