// Commands about indexes, what a real server answers to them, and the record of the indexes that were made here.
import type { Db, Document } from 'mongodb';
import { expect, test } from 'vitest';
import {
  addRecords,
  createIndexes,
  dropIndex,
  INDEX_RECORDS,
  listIndexes,
  readOwnership,
  removeRecords,
} from '../../../../src/stores/mongo-documents/indexes/index-commands.ts';
import { parseFoundIndex, specOf } from '../../../../src/stores/mongo-documents/indexes/migration-plan.ts';
import { failureOf, index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openBench, SPACE } from './workbench.ts';

const spec = (...parts: Parameters<typeof index>) => specOf(index(...parts));

describeMongo('index commands', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('create, list and drop indexes on %s', async (_, server) => {
    const { connection } = await openBench(server);
    await connection.run({}, async (scope) => {
      expect(await listIndexes(scope, SPACE)).toEqual([]);
      expect(await dropIndex(scope, SPACE, 'a')).toBe(true);
      await createIndexes(scope, SPACE, []);
      expect(await listIndexes(scope, SPACE)).toEqual([]);
      const specs = [spec('a', { a: 1 }), spec('b', { b: 1 }, { unique: true })];
      await createIndexes(scope, SPACE, specs);
      await createIndexes(scope, SPACE, specs);
      expect(await listIndexes(scope, SPACE)).toMatchObject([{ name: 'a' }, { name: 'b', unique: true }]);
      expect(await dropIndex(scope, SPACE, 'a')).toBe(true);
      expect(await dropIndex(scope, SPACE, 'a')).toBe(true);
      expect(await listIndexes(scope, SPACE)).toMatchObject([{ name: 'b' }]);
    });
  });

  test('wait for a majority of a replica set only', async () => {
    const { connection } = await openBench(replicaSet);
    const asked: Document[] = [];
    await connection.run({}, async (scope) => {
      const command = async (sent: Document) => {
        asked.push(sent);
        return scope.database(SPACE.database).command(sent);
      };
      const watched = { ...scope, database: () => ({ command }) as unknown as Db };
      await createIndexes(watched, SPACE, [spec('a', { a: 1 })]);
    });
    expect(asked).toMatchObject([{ commitQuorum: 'majority', writeConcern: { w: 'majority' } }]);
  });

  test('report why they failed', async () => {
    const { connection, books } = await openBench(standalone);
    await books.insertMany([{ a: 1, b: [1], c: [1] }, { a: 1 }]);
    const refusal = (...specs: ReturnType<typeof spec>[]) =>
      failureOf(connection.run({}, (scope) => createIndexes(scope, SPACE, specs)));
    const unique = spec('a', { a: 1 }, { unique: true });
    expect(await refusal(unique)).toMatchObject({ reason: 'duplicate', fields: ['a'] });
    expect(await refusal(spec('bc', { b: 1, c: 1 }))).toMatchObject({ reason: 'parallel-arrays' });
    await books.createIndex({ z: 1 }, { name: 'z' });
    expect(await refusal(spec('z', { a: 1 }))).toMatchObject({ reason: 'index-conflict' });
    expect(await refusal(spec('*', { a: 1 }))).toMatchObject({ reason: 'index-conflict' });
    const many = Array.from({ length: 64 }, (_, n) => spec(`i${n}`, { [`i${n}`]: 1 }));
    expect(await refusal(...many)).toMatchObject({ reason: 'index-conflict' });
  });
});

const NESTED = specOf(index('a', { 'a.b': 1 }));
const entry = { v: 2, name: 'a', key: { 'a.b': 1, _id: 1 } };

describeMongo('index records', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('hold what was added and not removed, on %s', async (_, server) => {
    const { connection } = await openBench(server);
    await connection.run({}, async (scope) => {
      expect((await readOwnership(scope, SPACE))(parseFoundIndex(entry))).toBe(false);
      await Promise.all(
        [1, 2, 3, 4].map(() => addRecords(scope, SPACE, [NESTED, specOf(index('b', { b: 1 }))])),
      );
      const isOurs = await readOwnership(scope, SPACE);
      expect(isOurs(parseFoundIndex(entry))).toBe(true);
      for (const other of [{ name: 'c' }, { key: { a: 1 } }, { unique: true }, { expireAfterSeconds: 1 }]) {
        expect(isOurs(parseFoundIndex({ ...entry, ...other }))).toBe(false);
      }
      expect((await readOwnership(scope, { ...SPACE, database: 'x' }))(parseFoundIndex(entry))).toBe(false);
      await removeRecords(scope, SPACE, [NESTED]);
      expect((await readOwnership(scope, SPACE))(parseFoundIndex(entry))).toBe(false);
      const [record, ...more] = await scope.collection(INDEX_RECORDS).find().toArray();
      expect(record).toMatchObject({ database: null, collection: 'books', indexes: [{ name: 'b' }] });
      expect(more).toEqual([]);
    });
  });

  test('ignore invalid entries', async () => {
    const { connection, database } = await openBench(standalone);
    await connection.run({}, (scope) => addRecords(scope, SPACE, [NESTED]));
    for (const indexes of [null, 'a', [null, 1, { name: 1 }, { name: 'a' }, { name: 'a', keys: 'x' }]]) {
      await database.collection(INDEX_RECORDS.collection).updateMany({}, { $set: { indexes } });
      const isOurs = await connection.run({}, (scope) => readOwnership(scope, SPACE));
      expect(isOurs(parseFoundIndex(entry))).toBe(false);
    }
  });
});
