import { Long, MongoNetworkError, MongoServerError, MongoWriteConcernError, ObjectId } from 'mongodb';
import { describe, expect, it, test } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { createMongoCommits } from '../../../../src/stores/mongo-documents/commits/commits.ts';
import {
  findProgress,
  findUnindexable,
  firstStale,
  progressAfter,
  readVersions,
} from '../../../../src/stores/mongo-documents/commits/write-errors.ts';
import { createTypeProbe } from '../../../../src/stores/mongo-documents/query/type-probe.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, index, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, ownServer, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openConnection } from '../connections.ts';
import { createLogLines } from '../log-lines.ts';
import { openWorkbench, remove, update } from './workbench.ts';

test('parallel arrays are reported by the first index that cannot hold them', () => {
  const document = { _id: 'a', a: [1], b: { c: [2] }, d: 1 };
  expect(
    findUnindexable(document, [
      ['a', 'd'],
      ['d', 'a', 'b.c'],
      ['a', 'b.c'],
    ]),
  ).toEqual({ fields: ['a', 'b.c'] });
  expect(findUnindexable(document, [['a'], ['b.c']])).toBeUndefined();
});

describeMongo('write errors', ({ standalone, replicaSet }) => {
  const known = [
    {
      definition: index('ab', { a: 1, b: -1 }),
      name: 'ab',
      endsInId: true,
      isUnique: false,
    },
  ];

  test.each([
    ['standalone', standalone],
    ['replica set', replicaSet],
  ])(
    '%s: name the write and the fields',
    async (_, uri) => {
      const bench = openWorkbench(await ownDatabase(uri), { indexes: known });
      const books = bench.raw(BOOKS);
      await books.createIndex({ a: 1, b: -1, _id: -1 }, { name: 'ab' });
      await books.createIndex({ c: 1, 'd.e': 1 }, { name: 'foreign' });
      await books.createIndex({ x: 1, 'y.z': 1 }, { name: 'slug', unique: true, sparse: true });
      await bench.commit([insert(BOOKS, 1, { x: 1, y: { z: 2 } }), insert(BOOKS, 2, {})]);
      const cases: readonly (readonly [Write, object])[] = [
        [insert(BOOKS, 9, { a: [1], b: [2] }), { reason: 'parallel-arrays', fields: ['a', 'b'] }],
        [update(BOOKS, 2, 1, { a: [1], b: [2] }), { reason: 'parallel-arrays', fields: ['a', 'b'] }],
        [insert(BOOKS, 9, { c: [1], d: [{ e: 2 }] }), { reason: 'parallel-arrays', fields: ['c', 'd.e'] }],
        [insert(BOOKS, 9, { x: 1, y: { z: 2 } }), { reason: 'duplicate', fields: ['x', 'y.z'] }],
        [update(BOOKS, 2, 1, { x: 1, y: { z: 2 } }), { reason: 'duplicate', fields: ['x', 'y.z'] }],
        [insert(BOOKS, 2, {}), { reason: 'duplicate', fields: ['_id'] }],
        [insert(BOOKS, 9, { pad: 'x'.repeat(17_000_000) }), { reason: 'too-large' }],
        [insert(BOOKS, 9, { pad: 'x'.repeat(40_000_000) }), { reason: 'too-large' }],
        [insert(BOOKS, 9, { pad: 'x'.repeat(16 * 1024 * 1024) }), { reason: 'too-large' }],
      ];
      for (const [bad, refusal] of cases) {
        const alone = await failureOf(bench.commit([bad]));
        expect(alone).toBeInstanceOf(StoreError);
        expect(alone).toMatchObject({ ...refusal, index: 0 });
        const among = [insert(NEIGHBOUR, 1, {}), insert(BOOKS, 8, {}), bad, insert(NEIGHBOUR, 2, {})];
        expect(await failureOf(bench.commit(among))).toMatchObject({ ...refusal, index: 2 });
      }
      expect((await bench.stored(BOOKS)).map(({ _id }) => String(_id))).toEqual([idOf(1), idOf(2)]);
      expect(await bench.stored(NEIGHBOUR)).toEqual([]);
      expect(bench.errors).toEqual([]);
    },
    60_000,
  );

  test('a document that an update makes too large is rejected', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.commit([insert(BOOKS, 1, { a: 'x'.repeat(9_000_000) })]);
    const grow = update(BOOKS, 1, 1, { b: 'x'.repeat(9_000_000) });
    expect(await failureOf(bench.commit([grow]))).toMatchObject({ reason: 'too-large', index: 0 });
    expect(await failureOf(bench.commit([insert(BOOKS, 2, {}), grow]))).toMatchObject({
      reason: 'too-large',
      index: 1,
    });
  });
});

const coded = (code: number) => new MongoServerError({ errmsg: 'no', code });
const doubted = (code: number) =>
  new MongoWriteConcernError({ writeConcernError: { code, errmsg: 'no' } } as never);
const waited = Object.defineProperty(new Error('no'), 'name', { value: 'MongoWaitQueueTimeoutError' });

describe('progressAfter', () => {
  it.each([
    ['nothing', 'a refusal', coded(11_000)],
    ['nothing', 'a full disk', coded(8)],
    ['nothing', 'no connection in time', waited],
    ['nothing', 'what cannot be written out', new RangeError('no')],
    ['as-found', 'the end of its time', coded(50)],
    ['as-found', 'an operator', coded(11_601)],
    ['as-found', 'a journal that takes too long', doubted(50)],
    ['unknown', 'a server that goes down', coded(11_600)],
    ['unknown', 'a write that may not last', doubted(91)],
    ['unknown', 'a connection that broke', new MongoNetworkError('gone')],
  ])('%s after %s', (expected, _what, error) => {
    expect(progressAfter(error)).toBe(expected);
  });
});

describeMongo('a command that the server interrupted', ({ standalone }) => {
  test('was applied up to the last document in its new state', async () => {
    const { commit, connection } = openWorkbench(await ownDatabase(standalone));
    const date = '2026-01-01T00:00:00.000Z';
    await commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, { n, date })));
    await commit([1, 2].map((n) => update(BOOKS, n, 1, { n: 9, date })));
    const find = (writes: readonly [Write, ...Write[]]) =>
      connection.run({}, (scope) =>
        findProgress(scope, { kind: writes[0].kind, ns: BOOKS, first: 0, writes }),
      );
    const updates = [1, 2, 3, 4].map((n) => update(BOOKS, n, 1, { n: 9, date }));
    expect(await find(updates as [Write])).toBe(2);
    expect(await find([insert(BOOKS, 5, {}), insert(BOOKS, 6, {})])).toBe(0);
    expect(await find([insert(BOOKS, 3, { n: 3, date }), insert(BOOKS, 6, {})])).toBe(1);
  });

  test('is rolled back with the commands before it', async () => {
    const server = await ownServer();
    const { commit, raw, errors, admin } = openWorkbench(`${server.uri}ended`);
    await commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {})]);
    const writes = [
      insert(NEIGHBOUR, 1, {}),
      insert(NEIGHBOUR, 2, {}),
      update(BOOKS, 1, 1, {}),
      remove(BOOKS, 2, 1),
    ];
    const fail = (data: object) =>
      admin({
        configureFailPoint: 'failCommand',
        mode: { times: 1 },
        data: { appName: 'cloister', ...data },
      });
    for (const data of [
      { failCommands: ['update'], errorCode: 50 },
      { failCommands: ['insert'], writeConcernError: { code: 50, errmsg: 'late' } },
      { failCommands: ['update'], writeConcernError: { code: 64, errmsg: 'late' } },
      { failCommands: ['delete'], errorCode: 11_601 },
      { failCommands: ['delete'], writeConcernError: { code: 50, errmsg: 'late' } },
    ]) {
      await fail(data);
      expect(await failureOf(commit(writes)), JSON.stringify(data)).toMatchObject({ reason: 'timeout' });
      expect(await raw(BOOKS).find().toArray()).toMatchObject([{ v: 1 }, { v: 1 }]);
      expect(await raw(NEIGHBOUR).countDocuments()).toBe(0);
    }
    expect(errors).toEqual([]);
  });

  test('is distinguished from one that never got a connection, after which all is rolled back', async () => {
    const server = await ownServer();
    const uri = `${server.uri}waiting`;
    const { connection } = openConnection(uri, { maxPoolSize: 2, queryMs: 500 });
    const { log, lines } = createLogLines();
    const typeProbe = createTypeProbe(() => performance.now());
    const { commit } = createMongoCommits({ connection, indexes: { of: () => [] }, typeProbe, log });
    const books = rawClient(uri).db().collection(BOOKS.collection);
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    await commit(numbers.map((n) => insert(BOOKS, n, {})));
    const data = { failCommands: ['delete'], appName: 'cloister', blockConnection: true, blockTimeMS: 1000 };
    await rawClient(uri)
      .db('admin')
      .command({ configureFailPoint: 'failCommand', mode: { times: 2 }, data });
    const removals = commit(
      numbers.map((n) => remove(BOOKS, n, 1)),
      { deadline: Date.now() + 15_000 },
    );
    expect(await failureOf(removals)).toMatchObject({ reason: 'busy' });
    expect([await books.countDocuments(), lines]).toEqual([12, []]);
  });
});

const parcelOf = (writes: readonly Write[]) => ({ kind: 'update' as const, ns: BOOKS, first: 0, writes });

describeMongo('document versions', ({ standalone }) => {
  test('are read by id and compared with the versions that writes expect', async () => {
    const { commit, connection, raw } = openWorkbench(await ownDatabase(standalone));
    await commit([insert(BOOKS, 1, {}), { kind: 'insert', ns: BOOKS, document: { _id: 'settings' } }]);
    await raw(BOOKS).insertOne({ _id: new ObjectId(idOf(2)), v: Long.fromNumber(7) });
    const settings = { kind: 'remove', ns: BOOKS, id: 'settings', v: 0 } as const;
    const fresh = [update(BOOKS, 1, 1, {}), remove(BOOKS, 2, 7), settings];
    await connection.run({}, async (scope) => {
      expect(await readVersions(scope, parcelOf(fresh))).toEqual(
        new Map([
          [idOf(1), 1],
          [idOf(2), 7],
          ['settings', 0],
        ]),
      );
      const first = (writes: readonly Write[]) => firstStale(scope, parcelOf(writes));
      expect(await first([...fresh, remove(BOOKS, 2, 6)])).toBe(3);
      expect(await first([...fresh, remove(BOOKS, 9, 0)])).toBe(3);
      expect(await first(fresh)).toBe(0);
    });
  });
});
