// What is measured of a collection on a real server.
import { expect, test } from 'vitest';
import { collectionStats } from '../../../src/stores/mongo-documents/collection-stats.ts';
import { index } from '../../contracts/store-cases.ts';
import { describeMongo } from '../../helpers/mongo-servers.ts';
import { foldingIndex, openBench, SPACE } from './indexes/workbench.ts';

describeMongo('collection statistics', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('add the size of a shadow index to its index, by declared names, on %s', async (_, server) => {
    const { connection, indexing, ensure, books } = await openBench(server);
    await books.createIndex({ z: 1 }, { name: 'theirs' });
    await books.createIndex({ t: 1 }, { name: 't_1' });
    await ensure([foldingIndex('a', { a: 1 }), index('t', { t: 1 }), index('same', { a: 1, _id: 1 })]);
    await books.insertMany(Array.from({ length: 1000 }, (__, n) => ({ a: `text ${n}`, t: n })));
    const known = indexing.cache.of(SPACE);
    const stats = await connection.run({}, (scope) => collectionStats(scope, SPACE, known));
    expect(Object.keys(stats.indexSizes).sort()).toEqual(['_id_', 'a', 't', 'theirs']);
    expect(stats.indexes).toBe(4);
    expect(stats.count).toBe(1000);
    expect(stats.averageObjectSize).toBeCloseTo(stats.size / 1000);
    expect(stats.totalIndexSize).toBe(Object.values(stats.indexSizes).reduce((a, b) => a + b));
    const unknown = await connection.run({}, (scope) => collectionStats(scope, SPACE, []));
    expect(Object.keys(unknown.indexSizes).sort()).toEqual(['_id_', 'a', 't_1', 'theirs']);
  });

  test('are zero where there is no collection', async () => {
    const { connection } = await openBench(standalone);
    expect(await connection.run({}, (scope) => collectionStats(scope, SPACE, []))).toEqual({
      ...{ count: 0, size: 0, averageObjectSize: 0, storageSize: 0, indexes: 0, totalIndexSize: 0 },
      indexSizes: {},
    });
  });
});
