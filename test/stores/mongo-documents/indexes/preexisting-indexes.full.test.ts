// Indexes that somebody else made, on real servers: kept, used, reported where they are in the way, never touched.
import { expect, test } from 'vitest';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openBench, openIndexing, SPACE } from './workbench.ts';

const UNIQUE = { unique: true };

describeMongo('foreign indexes', ({ standalone }) => {
  test('serve a definition, are not built twice, and are kept when it goes', async () => {
    const { ensure, books, names, recorded, indexing } = await openBench(standalone);
    await books.createIndexes([
      { name: 'theirs', key: { a: 1 } },
      { name: 'b_1', key: { b: 1, _id: 1 } },
      { name: 'c_1', key: { c: 1 }, unique: true },
      { name: 'seen', key: { seen: 1 }, expireAfterSeconds: 3600 },
    ]);
    const before = await books.listIndexes().toArray();
    const declared = ['a', 'b', 'seen'].map((path) => index(path, { [path]: 1 }));
    await ensure([...declared, index('c', { c: 1 }, { unique: true, sparse: true })]);
    expect(await books.listIndexes().toArray()).toEqual(before);
    expect(indexing.cache.of(SPACE)).toMatchObject([
      { name: 'theirs', endsInId: false },
      { name: 'b_1', endsInId: true },
      { name: 'seen', endsInId: false },
      { name: 'c_1', endsInId: false, isUnique: true },
    ]);
    await ensure([]);
    expect(await books.listIndexes().toArray()).toEqual(before);
    expect(await recorded()).toEqual([]);
    expect(await names()).toHaveLength(4);
  });

  test('that guarantee less do not serve a definition', async () => {
    const { ensure, books, names } = await openBench(standalone);
    const weak = [
      { name: 'sparse', key: { a: 1 }, sparse: true },
      { name: 'partial', key: { b: 1 }, partialFilterExpression: { b: { $gt: 1 } } },
      { name: 'hidden', key: { c: 1 }, hidden: true },
      { name: 'french', key: { d: 1 }, collation: { locale: 'fr' } },
      { name: 'hashed', key: { e: 'hashed' } },
      { name: 'text', key: { f: 'text' } },
      { name: 'sphere', key: { g: '2dsphere' } },
      { name: 'every', key: { '$**': 1 } },
      { name: 'loose', key: { h: 1 } },
    ] as const;
    await books.createIndexes(weak.map((entry) => ({ ...entry, key: { ...entry.key } })));
    const paths = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const declared = paths.map((path) => index(`${path}_1`, { [path]: 1 }));
    await ensure([...declared, index('h_1', { h: 1 }, UNIQUE)]);
    expect(await names()).toHaveLength(weak.length + declared.length + 1);
    await ensure([]);
    expect(await names()).toEqual(weak.map(({ name }) => name));
  });

  test('are reported if they have the name of a different definition, and nothing changes', async () => {
    const { ensure, books, names, recorded } = await openBench(standalone);
    await ensure([index('x', { x: 1 })]);
    await books.createIndexes([
      { name: 'a', key: { b: 1 } },
      { name: 'u', key: { u: 1 } },
    ]);
    const unique = ensure([index('new', { n: 1 }, UNIQUE), index('u', { u: 1 }, UNIQUE)]);
    expect(await failureOf(unique)).toMatchObject({ reason: 'index-conflict', fields: ['u'] });
    expect(await names()).toEqual(['x', 'a', 'u']);
    const others = ensure([index('a', { a: 1, c: 1 }), index('y', { y: 1 })]);
    expect(await failureOf(others)).toMatchObject({ reason: 'index-conflict', fields: ['a', 'c'] });
    expect(await names()).toEqual(['a', 'u', 'y']);
    expect(await recorded()).toEqual(['y']);
  });

  test('are distinguished from own ones by their keys, not by name alone', async () => {
    const { ensure, books, names } = await openBench(standalone);
    await ensure([index('a', { a: 1 })]);
    await books.dropIndex('a');
    await books.createIndex({ a: 1 }, { name: 'a', expireAfterSeconds: 60 });
    await ensure([]);
    expect(await names()).toEqual(['a']);
  });

  test('may be those of a collection with a default collation, or of a view', async () => {
    const { ensure, database, names, books } = await openBench(standalone);
    await database.createCollection(SPACE.collection, { collation: { locale: 'fr' } });
    await books.createIndex({ a: 1 }, { name: 'french' });
    await ensure([index('a', { a: 1 }), index('b', { b: 1 })]);
    expect(await names()).toEqual(['french', 'a', 'b']);
    await ensure([index('a', { a: 1 })]);
    expect(await names()).toEqual(['french', 'a']);
    await database.createCollection('seen', { viewOn: SPACE.collection, pipeline: [] });
    const view = { database: null, collection: 'seen' };
    expect(await failureOf(ensure([index('a', { a: 1 })], view))).toMatchObject({ reason: 'index-conflict' });
  });

  test('and two processes that declare the same concurrently work together', async () => {
    const { uri, names, recorded, ensure } = await openBench(standalone);
    const declared = [index('u', { u: 1 }, UNIQUE), index('a', { a: 1 }), index('b', { b: 1, a: -1 })];
    const others = [1, 2, 3].map(() => openIndexing(uri));
    await Promise.all([ensure(declared), ...others.map((other) => other.ensure(declared))]);
    expect((await names()).sort()).toEqual(['a', 'b', 'u']);
    expect((await recorded()).sort()).toEqual(await names().then((all) => all.sort()));
    await Promise.all([ensure([]), ...others.map((other) => other.ensure([]))]);
    expect(await names()).toEqual([]);
  });
});
