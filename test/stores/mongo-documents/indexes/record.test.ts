// The record of the indexes that were made here.
import { expect, test } from 'vitest';
import {
  forget,
  INDEX_RECORDS,
  readRecord,
  remember,
} from '../../../../src/stores/mongo-documents/indexes/record.ts';
import { readFound, specOf } from '../../../../src/stores/mongo-documents/indexes/spec.ts';
import { index } from '../../../contracts/cases.ts';
import { describeMongo } from '../../../helpers/mongo-servers.ts';
import { openBench, SPACE } from './workbench.ts';

const spec = specOf(index('a', { 'a.b': 1 }));
const entry = { v: 2, name: 'a', key: { 'a.b': 1, _id: 1 } };

describeMongo('the record of indexes', ({ standalone, replicaSet }) => {
  test.each([
    ['a lone server', standalone],
    ['a replica set', replicaSet],
  ])('knows what was remembered and not forgotten, on %s', async (_, server) => {
    const { connection } = await openBench(server);
    await connection.run({}, async (scope) => {
      expect((await readRecord(scope, SPACE))(readFound(entry))).toBe(false);
      await Promise.all([1, 2, 3, 4].map(() => remember(scope, SPACE, [spec, specOf(index('b', { b: 1 }))])));
      const isOurs = await readRecord(scope, SPACE);
      expect(isOurs(readFound(entry))).toBe(true);
      for (const other of [{ name: 'c' }, { key: { a: 1 } }, { unique: true }, { expireAfterSeconds: 1 }]) {
        expect(isOurs(readFound({ ...entry, ...other }))).toBe(false);
      }
      expect((await readRecord(scope, { ...SPACE, database: 'x' }))(readFound(entry))).toBe(false);
      await forget(scope, SPACE, [spec]);
      expect((await readRecord(scope, SPACE))(readFound(entry))).toBe(false);
      const [record, ...more] = await scope.collection(INDEX_RECORDS).find().toArray();
      expect(record).toMatchObject({ database: null, collection: 'books', indexes: [{ name: 'b' }] });
      expect(more).toEqual([]);
    });
  });

  test('does not believe what was put there by hand', async () => {
    const { connection, database } = await openBench(standalone);
    await connection.run({}, (scope) => remember(scope, SPACE, [spec]));
    for (const indexes of [null, 'a', [null, 1, { name: 1 }, { name: 'a' }, { name: 'a', keys: 'x' }]]) {
      await database.collection(INDEX_RECORDS.collection).updateMany({}, { $set: { indexes } });
      const isOurs = await connection.run({}, (scope) => readRecord(scope, SPACE));
      expect(isOurs(readFound(entry))).toBe(false);
    }
  });
});
