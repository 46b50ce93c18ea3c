// Index builds that are cut short: by a crash of either side, by a process that ends, by a change of mind.
import type { MongoClient } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import { addRecords } from '../../../../src/stores/mongo-documents/indexes/index-commands.ts';
import { specOf } from '../../../../src/stores/mongo-documents/indexes/migration-plan.ts';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { pollWithin } from '../../../helpers/server-process/timing.ts';
import {
  describeMongo,
  describeServer,
  ownDatabase,
  rawClient,
} from '../../../helpers/store/mongo-servers.ts';
import { openBench, openIndexing, SPACE } from './workbench.ts';

const UNIQUE = { unique: true };

/** Builds that begin stay where they are until the result is called. */
async function holdBuilds(client: MongoClient): Promise<() => Promise<void>> {
  const set = async (mode: string) => {
    await client.db('admin').command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode });
  };
  await set('alwaysOn');
  return () => set('off');
}

const numbered = (n: number) => Array.from({ length: n }, (_, at) => ({ n: at, a: at }));

describeMongo('interrupted index builds', ({ standalone }) => {
  const shared = describeServer();

  afterEach(async () => {
    const admin = rawClient(shared().uri).db('admin');
    for (const name of ['failCommand', 'hangAfterStartingIndexBuild']) {
      await admin.command({ configureFailPoint: name, mode: 'off' });
    }
  });

  test('that a crash prevented are known and made up for', async () => {
    const { connection, ensure, names, recorded } = await openBench(standalone);
    const spec = specOf(index('lost', { l: 1 }));
    await connection.run({}, (scope) => addRecords(scope, SPACE, [spec]));
    await ensure([index('a', { a: 1 })]);
    expect(await names()).toEqual(['a']);
    await connection.run({}, (scope) => addRecords(scope, SPACE, [specOf(index('b', { b: 1 }))]));
    await ensure([index('b', { b: 1 })]);
    expect(await names()).toEqual(['b']);
    expect(await recorded()).toContain('b');
  });

  test('continue without the process that started them, and the next process waits for them', async () => {
    const server = shared();
    const bench = await openBench(server.uri);
    const { uri, books, indexing, names } = bench;
    await books.insertMany(numbered(100));
    const letGo = await holdBuilds(rawClient(uri));
    const declared = [index('a', { a: 1 })];
    const { built } = await indexing.ensureIndexes(SPACE, declared);
    await expect.poll(names).toContain('a');
    await indexing.close();
    expect(await failureOf(built)).toMatchObject({ reason: 'unavailable' });
    const next = openIndexing(uri);
    const second = await next.indexing.ensureIndexes(SPACE, declared);
    await letGo();
    await second.built;
    expect(next.indexing.cache.of(SPACE)).toMatchObject([{ name: 'a' }]);
    expect(await names()).toEqual(['a']);
  });

  test('that are undeclared meanwhile are dropped once done', async () => {
    const server = shared();
    const { uri, books, indexing, names, recorded } = await openBench(server.uri);
    await books.insertMany(numbered(100));
    const letGo = await holdBuilds(rawClient(uri));
    const first = await indexing.ensureIndexes(SPACE, [index('a', { a: 1 }), index('b', { b: 1 })]);
    await expect.poll(names).toContain('b');
    const second = await indexing.ensureIndexes(SPACE, [index('n', { n: 1 })]);
    await letGo();
    await Promise.all([first.built, second.built]);
    expect(await names()).toEqual(['n']);
    expect(await recorded()).toEqual(['n']);
  });

  test('continue if a later declaration is rejected', async () => {
    const server = shared();
    const { uri, books, indexing, names } = await openBench(server.uri);
    await books.insertMany([...numbered(100), { a: 1, n: 200 }]);
    await indexing.ensureIndexes(SPACE, [index('u', { n: 1 }, UNIQUE)]);
    const letGo = await holdBuilds(rawClient(uri));
    const { built } = await indexing.ensureIndexes(SPACE, [
      index('u', { n: 1 }, UNIQUE),
      index('a', { a: 1 }),
    ]);
    await expect.poll(names).toContain('a');
    const refused = failureOf(indexing.ensureIndexes(SPACE, [index('b', { a: 1 }, UNIQUE)]));
    await expect.poll(names).toContain('b');
    await letGo();
    expect(await refused).toMatchObject({ reason: 'duplicate', fields: ['a'] });
    await built;
    expect(await names()).toEqual(['u', 'a']);
    expect(indexing.cache.of(SPACE)).toHaveLength(2);
  });

  test('continue after unlisted server errors', async () => {
    const server = shared();
    const { uri, ensure, names } = await openBench(server.uri);
    const data = { failCommands: ['createIndexes', 'listIndexes'], appName: 'cloister', errorCode: 211 };
    const { indexing } = openIndexing(uri);
    await indexing.ensureIndexes(SPACE, [index('u', { n: 1 }, UNIQUE)]);
    await rawClient(uri)
      .db('admin')
      .command({ configureFailPoint: 'failCommand', mode: { times: 3 }, data });
    await ensure([index('u', { n: 1 }, UNIQUE), index('a', { a: 1 })]);
    expect(await names()).toEqual(['u', 'a']);
  });

  test('continue when the server returns after a SIGKILL', async () => {
    const server = shared();
    const { uri, books, indexing, names } = await openBench(server.uri);
    await books.insertMany(numbered(100), { writeConcern: { w: 1, j: true } });
    await holdBuilds(rawClient(uri));
    const { built } = await indexing.ensureIndexes(SPACE, [index('a', { a: 1 })]);
    await expect.poll(names).toContain('a');
    await server.kill();
    await server.start();
    await built;
    expect(await names()).toEqual(['a']);
    expect(indexing.cache.of(SPACE)).toMatchObject([{ name: 'a' }]);
  });

  test('of a unique index leave nothing behind if the server is killed', async () => {
    const server = shared();
    const { uri, books, indexing, names, recorded } = await openBench(server.uri);
    await books.insertMany(numbered(100), { writeConcern: { w: 1, j: true } });
    await holdBuilds(rawClient(uri));
    const refused = failureOf(indexing.ensureIndexes(SPACE, [index('u', { a: 1 }, UNIQUE)]));
    await expect.poll(names).toContain('u');
    await server.kill();
    expect(await refused).toMatchObject({ reason: 'unavailable' });
    await server.start();
    await pollWithin(20_000, async () => expect(await recorded()).toEqual([]));
    expect(await names()).toEqual([]);
  });

  test('are rejected at once while the server is down, and by a store that is closing', async () => {
    const server = shared();
    const uri = await ownDatabase(server.uri);
    const { indexing } = openIndexing(uri);
    await server.stop();
    expect(await failureOf(indexing.ensureIndexes(SPACE, []))).toMatchObject({ reason: 'unavailable' });
    await server.start();
    await indexing.close();
    expect(await failureOf(indexing.ensureIndexes(SPACE, []))).toMatchObject({ reason: 'unavailable' });
  });
});
