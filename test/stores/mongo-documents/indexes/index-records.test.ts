// The record of the indexes that were made here.
import { expect, test } from 'vitest';
import {
  addRecords,
  INDEX_RECORDS,
  readOwnership,
  removeRecords,
} from '../../../../src/stores/mongo-documents/indexes/index-records.ts';
import { parseFoundIndex, specOf } from '../../../../src/stores/mongo-documents/indexes/index-spec.ts';
import { index } from '../../../contracts/store-cases.ts';
import { describeMongo } from '../../../helpers/store/mongo-servers.ts';
import { openBench, SPACE } from './workbench.ts';

const spec = specOf(index('a', { 'a.b': 1 }));
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
        [1, 2, 3, 4].map(() => addRecords(scope, SPACE, [spec, specOf(index('b', { b: 1 }))])),
      );
      const isOurs = await readOwnership(scope, SPACE);
      expect(isOurs(parseFoundIndex(entry))).toBe(true);
      for (const other of [{ name: 'c' }, { key: { a: 1 } }, { unique: true }, { expireAfterSeconds: 1 }]) {
        expect(isOurs(parseFoundIndex({ ...entry, ...other }))).toBe(false);
      }
      expect((await readOwnership(scope, { ...SPACE, database: 'x' }))(parseFoundIndex(entry))).toBe(false);
      await removeRecords(scope, SPACE, [spec]);
      expect((await readOwnership(scope, SPACE))(parseFoundIndex(entry))).toBe(false);
      const [record, ...more] = await scope.collection(INDEX_RECORDS).find().toArray();
      expect(record).toMatchObject({ database: null, collection: 'books', indexes: [{ name: 'b' }] });
      expect(more).toEqual([]);
    });
  });

  test('ignore invalid entries', async () => {
    const { connection, database } = await openBench(standalone);
    await connection.run({}, (scope) => addRecords(scope, SPACE, [spec]));
    for (const indexes of [null, 'a', [null, 1, { name: 1 }, { name: 'a' }, { name: 'a', keys: 'x' }]]) {
      await database.collection(INDEX_RECORDS.collection).updateMany({}, { $set: { indexes } });
      const isOurs = await connection.run({}, (scope) => readOwnership(scope, SPACE));
      expect(isOurs(parseFoundIndex(entry))).toBe(false);
    }
  });
});
