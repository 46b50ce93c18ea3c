import { expect, test } from 'vitest';
import { StoreError } from '../../../../src/errors/errors.ts';
import { parallelArrayFields } from '../../../../src/stores/mongo-documents/commits/write-errors.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, index, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
import { openWorkbench, update } from './workbench.ts';

test('parallel arrays are reported by the first index that cannot hold them', () => {
  const document = { _id: 'a', a: [1], b: { c: [2] }, d: 1 };
  expect(
    parallelArrayFields(document, [
      ['a', 'd'],
      ['d', 'a', 'b.c'],
      ['a', 'b.c'],
    ]),
  ).toEqual(['a', 'b.c']);
  expect(parallelArrayFields(document, [['a'], ['b.c']])).toEqual([]);
});

describeMongo('write errors', ({ standalone, replicaSet }) => {
  const known = [
    {
      definition: index('ab', { a: 1, b: -1 }),
      name: 'ab',
      endsInId: true,
      isUnique: false,
      hasReadyShadow: false,
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
