// The measure of a namespace and the list of all, as the store gives them, also to a user who may only read and write.

import { expect, onTestFinished, test } from 'vitest';
import {
  collectionStats,
  createCollectionStats,
  listNamespaces,
} from '../../../src/stores/mongo-documents/collection-stats.ts';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import { failureOf, idOf, index, insert, query, where } from '../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, ownServer, rawClient } from '../../helpers/store/mongo-servers.ts';
import { openConnection } from './connections.ts';
import { openBench, SPACE } from './indexes/workbench.ts';
import { createLogLines } from './log-lines.ts';

const LIBRARY = { database: 'library', collection: 'books' };

describeMongo('collection statistics', ({ standalone }) => {
  test('returns collections and statistics by declared index names', async () => {
    const { connection, indexing, ensure, books } = await openBench(standalone);
    const survey = createCollectionStats({ connection, indexes: indexing.cache, separateDatabases: false });
    await ensure([index('*', { a: 1 })]);
    await books.insertOne({ a: 1 });
    expect(await survey.collections()).toEqual([SPACE]);
    expect(Object.keys((await survey.stats(SPACE)).indexSizes)).toEqual(['_id_', '*']);
    const late = { deadline: Date.now() - 1 };
    expect(await failureOf(survey.stats(SPACE, late))).toMatchObject({ reason: 'timeout' });
  });

  test('and the rest of the store work for a user with readWrite on the databases in use', async () => {
    const server = await ownServer({ auth: true });
    const admin = rawClient(server.uri).db('admin');
    const roles = ['site', 'library'].map((db) => ({ role: 'readWrite', db }));
    await admin.command({ createUser: 'cloister', pwd: 'secret', roles });
    await rawClient(server.uri).db('others').collection('private').insertOne({});
    const { host } = new URL(server.uri);
    const { log, lines } = createLogLines();
    const store = openMongoDocuments({
      uri: `mongodb://cloister:secret@${host}/site?authSource=admin`,
      maxPoolSize: 10,
      minPoolSize: 0,
      separateDatabases: true,
      queryMs: 10_000,
      log,
    });
    onTestFinished(() => store.close());
    const { built } = await store.ensureIndexes(LIBRARY, [
      index('a', { a: 1 }),
      index('u', { u: 1 }, { unique: true }),
    ]);
    await built;
    await store.commit([insert(LIBRARY, 1, { a: 'Text', u: 1 }), insert(SPACE, 1, {}), insert(SPACE, 2, {})]);
    await store.commit([{ kind: 'remove', ns: SPACE, id: idOf(2), v: 1 }]);
    const filter = where('a', { kind: 'eq', value: 'tEXT', caseInsensitive: true });
    expect(await store.find(LIBRARY, query({ filter, sort: [['a', 1]] }))).toHaveLength(1);
    expect(await store.count(LIBRARY, filter)).toBe(1);
    expect(await store.stats(LIBRARY)).toMatchObject({ count: 1, indexes: 3 });
    expect(await store.collections()).toHaveLength(2);
    await (await store.ensureIndexes(LIBRARY, [])).built;
    await store.health();
    expect(await store.stats(LIBRARY)).toMatchObject({ indexes: 1 });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

async function openFilled(server: string) {
  const uri = await ownDatabase(server);
  const database = rawClient(uri).db();
  for (const name of ['books', 'cloister.clients', 'cloister.indexes', 'system.js']) {
    await database.collection(name).insertOne({});
  }
  await database.createCollection('empty');
  await database.createCollection('view', { viewOn: 'books', pipeline: [] });
  const other = rawClient(uri).db(`${database.databaseName}-2`);
  onTestFinished(async () => void (await other.dropDatabase()));
  await other.collection('books').insertOne({});
  await other.collection('cloister.indexes').insertOne({});
  const ask = async (separateDatabases: boolean) => {
    const { connection } = openConnection(uri, { separateDatabases });
    const found = await connection.run({}, (scope) =>
      listNamespaces(scope, { connection, separateDatabases }),
    );
    expect(found.find(({ collection }) => collection === 'view')?.readOnly).toMatch(/^it is a view/);
    return found
      .filter((ns) => ns.database?.startsWith(database.databaseName) !== false)
      .map((ns) => `${ns.database}/${ns.collection}`)
      .sort();
  };
  return { ask, own: database.databaseName };
}

describeMongo('listNamespaces', ({ standalone }) => {
  test('lists the collections with documents of the one database', async () => {
    const { ask } = await openFilled(standalone);
    expect(await ask(false)).toEqual(['null/books', 'null/cloister.clients', 'null/view']);
  });

  test('lists the collections of all databases by name with separate databases', async () => {
    const { ask, own } = await openFilled(standalone);
    const theirs = [`${own}-2/books`, `${own}-2/cloister.indexes`];
    expect(await ask(true)).toEqual(
      ['null/cloister.clients', ...theirs, `${own}/books`, `${own}/view`].sort(),
    );
  });
});

describeMongo('collection statistics', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('have the size of each index, by declared names, on %s', async (_, server) => {
    const { connection, indexing, ensure, books } = await openBench(server);
    await books.createIndex({ z: 1 }, { name: 'theirs' });
    await books.createIndex({ t: 1 }, { name: 't_1' });
    await ensure([index('a', { a: 1 }), index('t', { t: 1 }), index('same', { a: 1, _id: 1 })]);
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
      count: 0,
      size: 0,
      averageObjectSize: 0,
      storageSize: 0,
      indexes: 0,
      totalIndexSize: 0,
      indexSizes: {},
    });
  });
});
