// Several writes on a server without transactions: all or none, as far as that goes.
import { Decimal128, Long, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import type { Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

const objectId = (n: number) => new ObjectId(idOf(n));

describeMongo('several writes without transactions', ({ standalone }) => {
  const open = async () => openWorkbench(await ownDatabase(standalone));

  test('are rolled back with every value in its original type', async () => {
    const { commit, raw, errors } = await open();
    // The driver would take these for values of its own, were they not maps.
    const odd = new Map<string, unknown>([
      ['_bsontype', 'Long'],
      ['__proto__', { a: 1 }],
      ['$x', [new Map([['_bsontype', 'ObjectId']])]],
      ['', 1],
    ]);
    const types = {
      at: new Date(5),
      big: Long.fromString('5'),
      double: 3,
      dec: Decimal128.fromString('1.50'),
      ref: objectId(9),
    };
    const image = new Map<string, unknown>([['v', 1], ...Object.entries(types), ['odd', odd]]);
    for (const n of [1, 2])
      await raw(BOOKS).insertOne(new Map<string, unknown>([['_id', objectId(n)], ...image]) as never);
    await commit([insert(NEIGHBOUR, 5, {})]);
    const bytes = () => raw(BOOKS).find({}, { raw: true }).sort({ _id: 1 }).toArray();
    const before = await bytes();
    const writes: Write[] = [
      insert(NEIGHBOUR, 6, {}),
      insert(BOOKS, 3, {}),
      update(BOOKS, 1, 1, { at: 'changed', more: 1 }),
      remove(BOOKS, 2, 1),
      insert(NEIGHBOUR, 5, {}),
    ];
    expect(await failureOf(commit(writes))).toMatchObject({ reason: 'duplicate', index: 4, fields: ['_id'] });
    expect(await bytes()).toEqual(before);
    expect(await raw(NEIGHBOUR).countDocuments()).toBe(1);
    expect(errors).toEqual([]);
  });

  test('reject a stale write before anything is written', async () => {
    const { commit, raw, stored } = await open();
    await commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {})]);
    const stale = [
      insert(NEIGHBOUR, 1, {}),
      update(BOOKS, 1, 1, {}),
      remove(BOOKS, 2, 9),
      update(BOOKS, 7, 1, {}),
    ];
    expect(await failureOf(commit(stale))).toMatchObject({ reason: 'conflict', index: 2 });
    expect(await raw(NEIGHBOUR).countDocuments()).toBe(0);
    expect((await stored(BOOKS)).map(({ v }) => v)).toEqual([1, 1]);
  });

  test('may write one document twice', async () => {
    const { commit, stored } = await open();
    await commit([insert(BOOKS, 1, {}), update(BOOKS, 1, 1, { n: 1 }), insert(BOOKS, 2, {})]);
    await commit([update(BOOKS, 2, 1, {}), remove(BOOKS, 2, 2), update(BOOKS, 1, 2, { n: 2 })]);
    expect(await stored(BOOKS)).toMatchObject([{ n: 2, v: 3 }]);
  });

  test('succeed for at most one of several racing commits, and the others leave nothing', async () => {
    const { commit, stored, errors } = await open();
    for (let round = 1; round <= 5; round += 1) {
      const numbers = Array.from({ length: 40 }, (_, n) => round * 100 + n);
      await commit(numbers.map((n) => insert(BOOKS, n, {})));
      const race = Array.from({ length: 4 }, (_, racer) =>
        commit(numbers.map((n) => update(BOOKS, n, 1, { racer }))),
      );
      const results = await Promise.allSettled(race);
      const won = results.flatMap(({ status }, racer) => (status === 'fulfilled' ? [racer] : []));
      const books = (await stored(BOOKS)).slice(-40);
      expect(won.length).toBeLessThanOrEqual(1);
      expect(books.map((book) => book['racer'])).toEqual(numbers.map(() => won[0]));
      expect(new Set(books.map(({ v }) => v)).size).toBe(1);
    }
    expect(errors).toEqual([]);
  });

  test('succeed for at most one of several racing removals, and restore nothing that another removed', async () => {
    const { commit, raw } = await open();
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    await commit(numbers.map((n) => insert(BOOKS, n, {})));
    const results = await Promise.allSettled(
      [0, 1, 2].map(() => commit(numbers.map((n) => remove(BOOKS, n, 1)))),
    );
    const won = results.filter(({ status }) => status === 'fulfilled').length;
    expect(won).toBeLessThanOrEqual(1);
    expect(await raw(BOOKS).countDocuments()).toBe(won === 1 ? 0 : 60);
  });

  test('leave nothing behind at the deadline', async () => {
    const { commit, raw, connection } = await open();
    const numbers = Array.from({ length: 8000 }, (_, n) => n);
    await commit([insert(NEIGHBOUR, 1, {})]);
    const writes = numbers.map((n) => insert(BOOKS, n, {}));
    const failure = await failureOf(commit(writes, { deadline: Date.now() + 60 }));
    expect(failure.reason).toBe('timeout');
    // Ends what is in flight first.
    await connection.close();
    expect(await raw(BOOKS).countDocuments()).toBe(0);
  });

  test('keep documents that another client has changed since, and log them', async () => {
    const { commit, raw, errors } = await open();
    await raw(BOOKS).createIndex({ slug: 1 }, { unique: true, sparse: true });
    await commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, { slug: 'a' })]);
    // Many writes lie between the first and the one that fails: time enough to change what the first one wrote.
    const late = Array.from({ length: 3000 }, (_, n) => insert(NEIGHBOUR, n, {}));
    const work = failureOf(commit([update(BOOKS, 1, 1, {}), ...late, insert(BOOKS, 3, { slug: 'a' })]));
    const filter = { _id: objectId(1), v: 2 };
    let changed = 0;
    while (changed === 0)
      ({ matchedCount: changed } = await raw(BOOKS).updateOne(filter, { $set: { v: 3 } }));
    expect(await work).toMatchObject({ reason: 'duplicate', fields: ['slug'], index: 3001 });
    expect(await raw(NEIGHBOUR).countDocuments()).toBe(0);
    expect(errors).toMatchObject([[{ ns: BOOKS, ids: [idOf(1)] }, expect.any(String)]]);
  });

  test('roll back documents that are written more than once', async () => {
    const { commit, stored, errors } = await open();
    await commit([insert(BOOKS, 1, { t: 0 }), insert(BOOKS, 2, { t: 0 })]);
    const before = await stored(BOOKS);
    const writes = [
      update(BOOKS, 1, 1, { t: 1 }),
      update(BOOKS, 1, 2, { t: 2, more: true }),
      insert(BOOKS, 3, { t: 0 }),
      update(BOOKS, 3, 1, { t: 1 }),
      remove(BOOKS, 3, 2),
      remove(BOOKS, 2, 1),
      insert(BOOKS, 2, { t: 3 }),
      insert(BOOKS, 1, {}),
    ];
    expect(await failureOf(commit(writes))).toMatchObject({ reason: 'duplicate', index: 7 });
    expect(await stored(BOOKS)).toEqual(before);
    expect(errors).toEqual([]);
    await commit(writes.slice(0, -1));
    expect((await stored(BOOKS)).map(({ t, v }) => [t, v])).toEqual([
      [2, 3],
      [3, 1],
    ]);
  });

  test('limit the time of each command on the server', async () => {
    const { commit, raw } = await open();
    await commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {})]);
    const db = rawClient(standalone).db(raw(BOOKS).dbName);
    await db.command({ profile: 2 });
    const deadline = Date.now() + 60_000;
    await commit([insert(NEIGHBOUR, 1, {}), insert(BOOKS, 3, {})], { deadline });
    await db.command({ profile: 0 });
    // Of the others the profile shows the statements alone.
    const inserts = await db.collection('system.profile').find({ op: 'insert' }).toArray();
    const limits = inserts.map(({ command }) => command.maxTimeMS as number);
    expect(limits).toHaveLength(2);
    expect(limits.every((ms) => ms > 0 && ms <= 60_000)).toBe(true);
  });

  test('reject before-images beyond the memory limit before anything is written', async () => {
    const { commit, raw } = await open();
    const pad = 'x'.repeat(12_000_000);
    for (let n = 0; n < 12; n += 1) await raw(BOOKS).insertOne({ _id: objectId(n), v: 1, pad });
    const removals = Array.from({ length: 12 }, (_, n) => remove(BOOKS, n, 1));
    expect(await failureOf(commit(removals))).toMatchObject({ reason: 'too-much' });
    expect(await raw(BOOKS).countDocuments()).toBe(12);
  });
});
