import { BSON, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { expect, test } from 'vitest';
import {
  deserializeImage,
  readBeforeImages,
  rollBackWrites,
} from '../../../../src/stores/mongo-documents/commits/rollback.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

const byKind = (writes: readonly Write[]) =>
  writes.map((write) => ({ kind: write.kind, ns: write.ns, writes: [write] }));

describeMongo('a rollback', ({ standalone }) => {
  test('restores the earlier state, last write first', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.raw(BOOKS).createIndex({ slug: 1 }, { unique: true, sparse: true });
    await bench.commit([insert(BOOKS, 1, { slug: 'a' }), insert(BOOKS, 2, { slug: 'b' })]);
    const before = await bench.stored(BOOKS);
    // Only backwards are the unique values free again in time.
    const writes = [update(BOOKS, 1, 1, { slug: 'c' }), remove(BOOKS, 2, 1), insert(BOOKS, 3, { slug: 'a' })];
    const left = await bench.connection.run({}, async (scope) => {
      const images = await readBeforeImages(scope, writes);
      await bench.commit(writes);
      return rollBackWrites(scope, byKind(writes), images);
    });
    expect(left).toEqual([]);
    expect(await bench.stored(BOOKS)).toEqual(before);
  });

  test('restores documents whose field names look like operators', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    const id = new ObjectId(idOf(1));
    await bench.raw(BOOKS).insertMany([{ _id: id, v: 1, $name: { $in: new Date(0) }, 'a.b': 1, slug: 'a' }]);
    await bench.raw(BOOKS).createIndex({ slug: 1 }, { unique: true, sparse: true });
    const before = await bench.stored(BOOKS);
    const failing = [update(BOOKS, 1, 1, { $name: 2, 'a.b': 2 }), insert(BOOKS, 2, { slug: 'a' })];
    await expect(bench.commit(failing)).rejects.toMatchObject({ reason: 'duplicate', fields: ['slug'] });
    expect([await bench.stored(BOOKS), bench.errors]).toEqual([before, []]);
    await bench.commit([update(BOOKS, 1, 1, { $name: 2 })]);
    expect(await bench.stored(BOOKS)).toEqual([{ _id: id, v: 2, $name: 2, 'a.b': 1, slug: 'a' }]);
  });

  test('skips and reports documents that others have changed, and does not restore removed ones', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, {})));
    const writes = [
      update(BOOKS, 1, 1, {}),
      update(BOOKS, 2, 1, {}),
      insert(BOOKS, 5, {}),
      insert(BOOKS, 6, {}),
      remove(BOOKS, 3, 1),
    ];
    const left = await bench.connection.run({}, async (scope) => {
      const images = await readBeforeImages(scope, writes);
      await bench.commit(writes);
      await bench.commit([update(BOOKS, 1, 2, { theirs: true })]);
      await bench.commit([remove(BOOKS, 2, 2)]);
      await bench.commit([update(BOOKS, 5, 1, { theirs: true })]);
      await bench.commit([remove(BOOKS, 6, 1)]);
      await bench.commit([insert(BOOKS, 3, { theirs: true })]);
      return rollBackWrites(scope, byKind(writes), images);
    });
    expect(left.map(({ ids }) => ids)).toEqual([[idOf(5)], [idOf(1)]]);
    const books = await bench.stored(BOOKS);
    expect(books.map(({ _id, theirs = false }) => [String(_id), theirs])).toEqual([
      [idOf(1), true],
      [idOf(3), true],
      [idOf(4), false],
      [idOf(5), true],
    ]);
  });
});

test('a before-image restores a document byte for byte', () => {
  const document = new Map<string, unknown>([
    ['_id', new ObjectId(idOf(1))],
    ['numbers', [new Int32(1), new Double(1), Long.fromNumber(1), Decimal128.fromString('1.0'), -0]],
    ['times', [new Date(5), Timestamp.fromNumber(7)]],
    ['bytes', [new UUID('00112233-4455-6677-8899-aabbccddeeff'), new BSON.Binary(Buffer.from('x'))]],
    ['pattern', /a/i],
    ['options', new BSON.BSONRegExp('a', 'ix')],
    ['code', new BSON.Code('f()', { a: 1 })],
    ['ends', [new BSON.MinKey(), new BSON.MaxKey(), null]],
    [
      'reference',
      new Map([
        ['$ref', 'a'],
        ['$id', 5],
      ] as [string, unknown][]),
    ],
    [
      'odd',
      new Map<string, unknown>([
        ['_bsontype', 'ObjectId'],
        ['__proto__', { toString: 1 }],
      ]),
    ],
    ['deep', [{ a: [new Map([['_bsontype', 'Long']])] }]],
  ]);
  const bytes = BSON.serialize(document);
  expect(Buffer.from(BSON.serialize(deserializeImage(bytes)))).toEqual(Buffer.from(bytes));
});

describeMongo('before-images', ({ standalone }) => {
  test('hold every updated or removed document, also in a state that the commit itself creates', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.commit([1, 2].map((n) => insert(BOOKS, n, { n })));
    const writes = [
      insert(NEIGHBOUR, 1, {}),
      update(NEIGHBOUR, 1, 1, {}),
      update(BOOKS, 1, 1, {}),
      remove(BOOKS, 1, 2),
      remove(BOOKS, 2, 1),
    ] as const;
    const images = await bench.connection.run({}, (scope) => readBeforeImages(scope, writes));
    expect([...images.keys()]).toEqual([writes[1], writes[2], writes[3], writes[4]]);
    expect(deserializeImage(images.get(writes[1]) ?? new Uint8Array())).toMatchObject({ v: new Int32(1) });
    expect(deserializeImage(images.get(writes[3]) ?? new Uint8Array())).toMatchObject({ v: new Int32(2) });
    expect(deserializeImage(images.get(writes[4]) ?? new Uint8Array())).toMatchObject({ n: new Int32(2) });
  });

  test('are kept apart when names and ids contain slashes', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    const write = (collection: string, id: string) =>
      ({ kind: 'remove', ns: { database: null, collection }, id, v: 0 }) as const;
    const writes = [write('a', 'b/c'), write('a/b', 'c')];
    for (const { ns, id } of writes)
      await bench.raw(ns).insertOne({ _id: id as never, name: `${id} of ${ns.collection}` });
    const images = await bench.connection.run({}, (scope) => readBeforeImages(scope, writes));
    const names = writes.map((one) => deserializeImage(images.get(one) ?? new Uint8Array())['name']);
    expect(names).toEqual(['b/c of a', 'c of a/b']);
  });

  test('reading them rejects with the first stale write as a conflict', async () => {
    const bench = openWorkbench(await ownDatabase(standalone));
    await bench.commit([insert(BOOKS, 1, {})]);
    const writes = [insert(BOOKS, 2, {}), remove(BOOKS, 1, 1), remove(BOOKS, 5, 1), remove(NEIGHBOUR, 1, 1)];
    const failure = await failureOf(bench.connection.run({}, (scope) => readBeforeImages(scope, writes)));
    expect(failure).toMatchObject({ reason: 'conflict', index: 2 });
  });
});
