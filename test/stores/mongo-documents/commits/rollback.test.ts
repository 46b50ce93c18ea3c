import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { readBeforeImages } from '../../../../src/stores/mongo-documents/commits/before-images.ts';
import { rollBackWrites } from '../../../../src/stores/mongo-documents/commits/rollback.ts';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, idOf, insert } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/mongo-servers.ts';
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
