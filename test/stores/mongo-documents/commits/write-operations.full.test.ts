import { BSON, Decimal128, Double, Int32, Long, ObjectId } from 'mongodb';
import { expect, onTestFinished, test } from 'vitest';
import { documentVersion } from '../../../../src/lib/json/stored-json.ts';
import { parseBson } from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';
import {
  batchesOf,
  guardedFilter,
  STALE,
  splitBySize,
  stateFilter,
  updateOperation,
  writeOperation,
} from '../../../../src/stores/mongo-documents/commits/write-operations.ts';
import { namespaceKey, type Write } from '../../../../src/stores/ports.ts';
import { BOOKS, ELSEWHERE, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { createDatabase, describeMongo, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { remove, update } from './workbench.ts';

const ID = new ObjectId(idOf(1));

test('each kind of write becomes one operation', () => {
  expect(writeOperation(insert(BOOKS, 1, { a: -0 }), stateFilter)).toEqual({ _id: ID, v: 1, a: 0 });
  expect(writeOperation(update(BOOKS, 1, 4, { a: 1 }), stateFilter)).toEqual({
    q: { _id: ID, v: 4 },
    u: {
      $set: new Map([
        ['a', 1],
        ['v', 5],
      ]),
    },
  });
  expect(writeOperation(remove(BOOKS, 1, 4), stateFilter)).toEqual({ q: { _id: ID, v: 4 }, limit: 1 });
});

test('changed fields that are missing in the document are unset, and its id stays', () => {
  const document = { _id: idOf(1), v: 2, a: null };
  expect(updateOperation({ document, changed: ['a', 'gone', 'toString', '_id', 'v'] })).toEqual({
    $set: new Map<string, unknown>([
      ['a', null],
      ['v', 2],
    ]),
    $unset: new Map([
      ['gone', true],
      ['toString', true],
    ]),
  });
});

test.each([[''], ['a.b'], ['$a']])('a field named %j is set by name, not as a path', (name) => {
  const document = { _id: idOf(1), [name]: 1, other: 2 };
  const field = { field: { $literal: name }, input: '$$ROOT' };
  expect(updateOperation({ document, changed: [name] })).toEqual([
    { $replaceWith: { $setField: { ...field, value: { $literal: 1 } } } },
  ]);
  expect(updateOperation({ document: { _id: idOf(1) }, changed: [name] })).toEqual([
    { $replaceWith: { $unsetField: field } },
  ]);
});

test('an update without changes keeps the document, which an update without operators would empty', () => {
  const document = { _id: idOf(1), v: 1, other: 2 };
  expect(updateOperation({ document, changed: ['_id'] })).toEqual([{ $replaceWith: '$$ROOT' }]);
});

test('a version that is no number counts as 0', () => {
  expect([{ v: 3 }, { v: '3' }, {}].map((one) => documentVersion({ _id: 'a', ...one }))).toEqual([3, 0, 0]);
});

describeMongo('versions written by other programs', ({ standalone }) => {
  test.each([
    ['a long beyond doubles', Long.fromString('9007199254740993')],
    ['a decimal of many digits', Decimal128.fromString('1.12345678901234567890')],
    ['a decimal that is too large', Decimal128.fromString('1E+6000')],
  ])('%s: allow updates of the document', async (_name, v) => {
    const { name, drop } = createDatabase(standalone);
    onTestFinished(drop);
    const books = rawClient(standalone).db(name).collection('books');
    await books.insertOne({ _id: ID, v });
    const shown = documentVersion(parseBson(BSON.serialize({ _id: ID, v })));
    for (const filter of [stateFilter, guardedFilter]) {
      expect(await books.countDocuments(filter(idOf(1), shown))).toBe(1);
    }
    expect(await books.countDocuments(stateFilter(idOf(1), 5))).toBe(0);
  });
});

describeMongo('filters on a version', ({ standalone, replicaSet }) => {
  const numbers = [5, new Int32(5), new Double(5), Long.fromNumber(5), Decimal128.fromString('5')];
  const none = [0, new Double(0), Long.fromNumber(0), null, 'x', [5], Number.NaN, Number.NEGATIVE_INFINITY];

  test.each([
    ['standalone', standalone],
    ['replica set', replicaSet],
  ])(
    '%s: match the version that readers see, and the guard raises an error for any other',
    async (_, uri) => {
      const { name, drop } = createDatabase(uri);
      onTestFinished(drop);
      const books = rawClient(uri).db(name).collection('books');
      for (const [values, v] of [
        [numbers, 5],
        [none, 0],
      ] as const) {
        for (const value of values) {
          await books.replaceOne({ _id: ID }, { v: value }, { upsert: true });
          for (const filter of [stateFilter, guardedFilter]) {
            expect(await books.countDocuments(filter(idOf(1), v)), String(value)).toBe(1);
          }
          expect(await books.countDocuments(stateFilter(idOf(1), v + 1))).toBe(0);
          await expect(
            books.updateOne(guardedFilter(idOf(1), v + 1), { $set: { a: 1 } }),
          ).rejects.toMatchObject({
            code: STALE,
          });
        }
      }
      expect((await books.updateOne(guardedFilter(idOf(2), 1), { $set: { a: 1 } })).matchedCount).toBe(0);
    },
  );
});

const shapeOf = (writes: readonly Write[]) =>
  [...batchesOf(writes)].map(({ kind, ns, first, writes: own }) => [
    kind,
    namespaceKey(ns),
    first,
    own.length,
  ]);

test('consecutive writes of one kind on one collection share a batch', () => {
  const writes = [
    insert(BOOKS, 1, {}),
    insert(BOOKS, 2, {}),
    insert(ELSEWHERE, 1, {}),
    insert(BOOKS, 3, {}),
    update(BOOKS, 1, 1, {}),
    remove(BOOKS, 2, 1),
    remove(BOOKS, 3, 1),
    insert(NEIGHBOUR, 1, {}),
  ];
  expect(shapeOf(writes)).toEqual([
    ['insert', '/books', 0, 2],
    ['insert', `${ELSEWHERE.database}/books`, 2, 1],
    ['insert', '/books', 3, 1],
    ['update', '/books', 4, 1],
    ['remove', '/books', 5, 2],
    ['insert', '/bookshelves', 7, 1],
  ]);
});

test('a batch has at most 500 writes', () => {
  const writes = Array.from({ length: 1201 }, (_, n) => insert(BOOKS, n, {}));
  expect(shapeOf(writes).map(([, , first, count]) => [first, count])).toEqual([
    [0, 500],
    [500, 500],
    [1000, 201],
  ]);
});

test('a batch has about a million characters, and a larger document has its own', () => {
  const sizes = [600_000, 500_000, 3_000_000, 10, 10];
  const writes = sizes.map((size, n) => insert(BOOKS, n, { pad: 'x'.repeat(size) }));
  const expected = [
    ['insert', '/books', 0, 1],
    ['insert', '/books', 1, 1],
    ['insert', '/books', 2, 1],
    ['insert', '/books', 3, 2],
  ];
  expect(shapeOf(writes)).toEqual(expected);
  const withTexts = writes.map((write) => ({
    ...write,
    ...('document' in write && { text: JSON.stringify(write.document) }),
  }));
  expect(shapeOf(withTexts)).toEqual(expected);
});

test('no writes make no batches', () => {
  expect([...splitBySize([], () => 1)]).toEqual([]);
  expect([...batchesOf([])]).toEqual([]);
});
