// Commands about indexes, and what a real server answers to them.
import type { Db, Document } from 'mongodb';
import { expect, test } from 'vitest';
import {
  createIndexes,
  dropIndex,
  listIndexes,
} from '../../../../src/stores/mongo-documents/indexes/index-commands.ts';
import { specOf } from '../../../../src/stores/mongo-documents/indexes/index-spec.ts';
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
