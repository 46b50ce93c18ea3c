// Reads as bare commands, on the real server.

import { BSON, type Document } from 'mongodb';
import { expect, it } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import type { OperationScope } from '../../../../src/stores/mongo-documents/connection/types.ts';
import {
  countDocuments,
  type FindCommand,
  forEachDocument,
  readBatches,
  runRead,
} from '../../../../src/stores/mongo-documents/query/read-command.ts';
import { BOOKS } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openConnection, rejection } from '../connections.ts';
import { openReads } from './workbench.ts';

const SHELF = { database: null, collection: 'books' };
/** Everything that a command finds, batch by batch. */
async function batchesOf(scope: OperationScope, command: FindCommand): Promise<Document[][]> {
  const batches: Document[][] = [];
  await readBatches(scope, SHELF, command, async (documents) => {
    batches.push(documents.map((bytes) => BSON.deserialize(bytes)));
    return true;
  });
  return batches;
}

const MEGABYTE = 1024 * 1024;

async function openBooks(uri: string, books: readonly Document[]) {
  const { connection } = openConnection(await ownDatabase(uri));
  const run = <T>(work: (scope: OperationScope) => Promise<T>) => connection.run({}, work);
  await run((scope) => scope.collection(SHELF).insertMany([...books]));
  const find = (command: FindCommand) => run((scope) => batchesOf(scope, command));
  return { run, find };
}

/** The scope, and what the server is asked through it. */
function watching(scope: OperationScope) {
  const asked: Document[] = [];
  const database = (name: string | null) => {
    const db = scope.database(name);
    const command: typeof db.command = async (sent: Document, options?: Document) => {
      asked.push(sent);
      return db.command(sent, options);
    };
    return Object.assign(Object.create(db), { command });
  };
  return { asked, scope: { ...scope, database } };
}

describeMongo('read commands', ({ replicaSet }) => {
  /** How many cursors are open on a collection. */
  const cursorsOn = async (ns: string) => {
    const stages = [
      { $currentOp: { idleCursors: true, allUsers: false } },
      { $match: { type: 'idleCursor', ns } },
    ];
    return (await rawClient(replicaSet).db('admin').aggregate(stages).toArray()).length;
  };

  it('find a sorted page and leave no cursor open', async () => {
    const numbers = Array.from({ length: 300 }, (_, n) => ({ n }));
    const { run, find } = await openBooks(replicaSet, numbers);
    const found = await find({ filter: { n: { $gt: 10 } }, sort: new Map([['n', -1]]), skip: 1, limit: 150 });
    expect(found.map((batch) => batch.map(({ n }) => n))).toEqual([
      Array.from({ length: 150 }, (_, at) => 298 - at),
    ]);
    expect(await find({ filter: { n: -1 }, limit: 5 })).toEqual([[]]);
    expect(await cursorsOn(await run(async (scope) => `${scope.database(null).databaseName}.books`))).toBe(0);
  });

  it('find more than one batch, as far as the consumer wants', async () => {
    const big = Array.from({ length: 20 }, (_, n) => ({ n, text: 'x'.repeat(2 * MEGABYTE) }));
    const { run, find } = await openBooks(replicaSet, big);
    const command = { filter: {}, sort: new Map([['_id', 1]]), limit: 19 };
    const batches = await find(command);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flat().map(({ n }) => n)).toEqual(Array.from({ length: 19 }, (_, n) => n));
    let taken = 0;
    const ns = await run(async (scope) => {
      await readBatches(scope, SHELF, command, async ({ length }) => {
        taken += length;
        return false;
      });
      return `${scope.database(null).databaseName}.books`;
    });
    expect(taken).toBe(batches[0]?.length);
    const unfit = () => Promise.reject(new Error('does not fit'));
    await expect(run((scope) => readBatches(scope, SHELF, command, unfit))).rejects.toThrow('does not fit');
    expect(await cursorsOn(ns)).toBe(0);
  });

  it('have a time limit and read concern majority', async () => {
    const { run } = await openBooks(replicaSet, [{ n: 1 }]);
    await run(async (scope) => {
      const { asked, scope: watched } = watching(scope);
      expect(await runRead(watched, SHELF, { count: 'books', query: { n: 1 } })).toMatchObject({ n: 1 });
      expect(asked).toMatchObject([{ readConcern: { level: 'majority' }, maxTimeMS: expect.any(Number) }]);
    });
  });

  it('are rejected once, with the error of the server', async () => {
    const { run } = await openBooks(replicaSet, [{ n: 1 }]);
    await run(async (scope) => {
      const { asked, scope: counted } = watching(scope);
      const wrong = { filter: { $nonsense: 1 }, limit: 1 };
      expect(await rejection(batchesOf(counted, wrong))).toMatchObject({
        code: 2,
        message: expect.stringContaining('$nonsense'),
      });
      expect(asked).toHaveLength(1);
    });
    const slow = { filter: { $where: 'sleep(1000) || true' }, limit: 1 };
    const { connection } = openConnection(await ownDatabase(replicaSet));
    await connection.run({}, (scope) => scope.collection(SHELF).insertOne({}));
    const late = connection.run({ deadline: Date.now() + 200 }, (scope) => batchesOf(scope, slow));
    expect(await rejection(late)).toEqual(new StoreError('timeout'));
  });
});

describeMongo('documents of a query', ({ standalone }) => {
  const open = () =>
    openReads(
      standalone,
      Array.from({ length: 2500 }, (_, n) => ({ n, text: n % 2 ? 'a' : 'A' })),
    );

  it('arrive in order until the consumer stops', async () => {
    const { run } = await open();
    const seen: unknown[] = [];
    const ask = { ns: BOOKS, query: {}, sort: new Map([['n', 1 as const]]), fields: { n: 1 } };
    await run((scope) =>
      forEachDocument(scope, ask, (bytes) => seen.push(BSON.deserialize(bytes)['n']) < 1200),
    );
    expect(seen).toEqual(Array.from({ length: 1200 }, (_, n) => n));
  });

  it('are skipped and limited', async () => {
    const { run } = await open();
    const seen: unknown[] = [];
    const ask = { ns: BOOKS, query: {}, sort: new Map([['n', 1 as const]]), skip: 5, limit: 2 };
    await run((scope) => forEachDocument(scope, ask, (bytes) => seen.push(BSON.deserialize(bytes)['n']) > 0));
    expect(seen).toEqual([5, 6]);
  });

  it('are counted exactly, also with a default collation', async () => {
    const { run, books } = await open();
    const other = { ...BOOKS, collection: 'french' };
    await run((scope) =>
      scope.client.db(books.dbName).createCollection('french', { collation: { locale: 'fr', strength: 1 } }),
    );
    await run((scope) => scope.collection(other).insertMany([{ text: 'a' }, { text: 'A' }, { text: 'á' }]));
    const count = async (ns: typeof BOOKS, query: object) =>
      (await run((scope) => countDocuments(scope, { ns, query }))).count;
    expect(await count(other, { text: 'a' })).toBe(1);
    expect(await count(BOOKS, { text: 'a' })).toBe(1250);
    expect(await count(BOOKS, {})).toBe(2500);
  });
});
