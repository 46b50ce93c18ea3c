// The measure of a name space and the list of all, as the store gives them, also to a user who may only read and write.
import { expect, onTestFinished, test } from 'vitest';
import { createCatalog } from '../../../src/stores/mongo-documents/catalog.ts';
import { openMongoDocuments } from '../../../src/stores/mongo-documents/store.ts';
import { failureOf, idOf, index, insert, query, where } from '../../contracts/store-cases.ts';
import { describeMongo, ownServer, rawClient } from '../../helpers/mongo-servers.ts';
import { foldingIndex, openBench, SPACE } from './indexes/workbench.ts';
import { createLogLines } from './log-lines.ts';

const LIBRARY = { database: 'library', collection: 'books' };

describeMongo('a survey', ({ standalone }) => {
  test('tells what there is, by declared names', async () => {
    const { connection, indexing, ensure, books } = await openBench(standalone);
    const survey = createCatalog({ connection, indexes: indexing.cache, separateDatabases: false });
    await ensure([index('*', { a: 1 })]);
    await books.insertOne({ a: 1 });
    expect(await survey.collections()).toEqual([SPACE]);
    expect(Object.keys((await survey.stats(SPACE)).indexSizes)).toEqual(['_id_', '*']);
    const late = { deadline: Date.now() - 1 };
    expect(await failureOf(survey.stats(SPACE, late))).toMatchObject({ reason: 'timeout' });
  });

  test('and everything else needs no more than readWrite on the databases in use', async () => {
    const server = await ownServer({ auth: true });
    const admin = rawClient(server.uri).db('admin');
    const roles = ['site', 'library'].map((db) => ({ role: 'readWrite', db }));
    await admin.command({ createUser: 'cloister', pwd: 'secret', roles });
    await rawClient(server.uri).db('others').collection('private').insertOne({});
    const { host } = new URL(server.uri);
    const { log, lines } = createLogLines();
    const store = openMongoDocuments({
      uri: `mongodb://cloister:secret@${host}/site?authSource=admin`,
      ...{ maxPoolSize: 10, minPoolSize: 0, separateDatabases: true, queryMs: 10_000, log },
    });
    onTestFinished(() => store.close());
    const { built } = await store.ensureIndexes(LIBRARY, [
      foldingIndex('a', { a: 1 }),
      index('u', { u: 1 }, { unique: true }),
    ]);
    await built;
    await store.commit([insert(LIBRARY, 1, { a: 'Text', u: 1 }), insert(SPACE, 1, {}), insert(SPACE, 2, {})]);
    await store.commit([{ kind: 'remove', ns: SPACE, id: idOf(2), v: 1 }]);
    const filter = where('a', { kind: 'eq', value: 'tEXT', fold: true });
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
