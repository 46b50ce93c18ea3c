// Kinds of collections that other programs make: what works on each of them, and in what words the rest is refused.
import type { Db } from 'mongodb';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  explainByCollectionType,
  parseCollectionType,
  readCollectionType,
  unsupportedWriteMessage,
} from '../../../../src/stores/mongo-documents/connection/collection-type.ts';
import { openMongoDocuments } from '../../../../src/stores/mongo-documents/store.ts';
import { BOOKS, idOf, index, insert, query, where } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { remove, update } from '../commits/workbench.ts';
import { openConnection } from '../connections.ts';
import { createLogLines } from '../log-lines.ts';

test('the collection type is parsed from listCollections', () => {
  expect(
    [{}, { options: { capped: true } }, { type: 'view' }, { type: 'timeseries' }].map(parseCollectionType),
  ).toEqual(['plain', 'capped', 'view', 'time-series']);
  expect(unsupportedWriteMessage('plain', BOOKS)).toBeUndefined();
  expect(unsupportedWriteMessage('view', BOOKS)).toBe(
    '`books` is a view of the database: it can be read, and takes no writes',
  );
});

const MAKERS: Readonly<Record<string, (database: Db) => Promise<unknown>>> = {
  clustered: (database) =>
    database.createCollection('books', { clusteredIndex: { key: { _id: 1 }, unique: true } }),
  capped: (database) => database.createCollection('books', { capped: true, size: 100_000 }),
  view: (database) => database.createCollection('books', { viewOn: 'shelf', pipeline: [] }),
  'time-series': (database) => database.createCollection('books', { timeseries: { timeField: 'at' } }),
};

async function open(server: string, kind: string) {
  const uri = await ownDatabase(server);
  const database = rawClient(uri).db();
  await MAKERS[kind]?.(database);
  const source = database.collection(kind === 'view' ? 'shelf' : 'books');
  await source.insertMany([
    { title: 'a', v: 1, at: new Date(0) },
    { title: 'B', v: 1, at: new Date(1) },
  ]);
  const { log } = createLogLines();
  const options = { uri, maxPoolSize: 10, minPoolSize: 0, separateDatabases: false, queryMs: 60_000, log };
  const store = openMongoDocuments(options);
  onTestFinished(() => store.close());
  return { store, database, uri };
}

describeMongo('collections of other types', (servers) => {
  describe.each(Object.entries(servers))('%s', (server, uri) => {
    test.each(Object.keys(MAKERS))('%s: can be read and counted', async (kind) => {
      const { store } = await open(uri, kind);
      const definition = index('title', { title: 1 });
      const made = store.ensureIndexes(BOOKS, [definition]);
      if (kind === 'view' || kind === 'time-series') {
        await expect(made).rejects.toMatchObject({ reason: 'index-conflict', explanation: /no index/ });
      } else await (await made).built;
      await (await store.ensureIndexes(BOOKS, [])).built;
      expect(await store.count(BOOKS, query().filter)).toBe(2);
      expect((await store.stats(BOOKS)).count).toBe(2);
      const filter = where('title', { kind: 'eq', value: 'b', caseInsensitive: true });
      expect(await store.find(BOOKS, query({ filter, sort: [['title', 1]] }))).toHaveLength(1);
      expect(await store.count(BOOKS, filter)).toBe(1);
    });

    test.each(Object.keys(MAKERS))('%s: reject unsupported writes with an explanation', async (kind) => {
      const { store, database } = await open(uri, kind);
      const [{ _id: id }] = (await store.find(BOOKS, query())) as [{ _id: string }];
      const change = {
        kind: 'update',
        ns: BOOKS,
        id,
        v: 1,
        document: { v: 2, _id: id },
        changed: ['v'],
      } as const;
      const takes = async (work: Promise<void>) =>
        work.then(
          () => 'done',
          ({ reason, explanation }) => `${reason}: ${explanation}`,
        );
      const single = await takes(store.commit([insert(BOOKS, 1, { at: 'x' })]));
      const list = await takes(store.commit([insert(BOOKS, 2, {}), insert(BOOKS, 3, {})]));
      const updated = await takes(store.commit([change]));
      const removed = await takes(store.commit([{ kind: 'remove', ns: BOOKS, id, v: 2 }]));
      const takesNone = kind === 'view' || kind === 'time-series';
      const why = expect.stringMatching(`refused: \`books\` is a ${kind}`);
      const one = takesNone ? why : 'done';
      const many = takesNone || (kind === 'capped' && server === 'replicaSet') ? why : 'done';
      expect([single, updated, removed, list]).toEqual([one, one, one, many]);
      if (takesNone) expect(await database.collection('books').countDocuments()).toBe(2);
    });
  });

  test('other errors are unchanged', async () => {
    const { uri } = await open(servers.standalone, 'view');
    const { connection } = openConnection(uri);
    const error = new Error('no answer');
    const writes = [remove(BOOKS, 1, 1), update(BOOKS, 2, 1, {})];
    await connection.run({}, async (scope) => {
      expect(await readCollectionType(scope, { database: null, collection: 'none' })).toBe('plain');
      expect(await explainByCollectionType(error, scope, writes)).toBe(error);
    });
    expect(idOf(1)).toHaveLength(24);
  });
});
