// Several writes where there are transactions: all or none, whoever else writes.
import { ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import { BOOKS, ELSEWHERE, failureOf, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

describeMongo('several writes in a transaction', ({ replicaSet }) => {
  const open = async () => openWorkbench(await ownDatabase(replicaSet));

  test('are never visible in part', async () => {
    const { commit, raw } = await open();
    const numbers = Array.from({ length: 3000 }, (_, n) => n);
    const work = commit([...numbers.map((n) => insert(BOOKS, n, {})), insert(NEIGHBOUR, 1, {})]);
    let done = false;
    const finished = work.finally(() => {
      done = true;
    });
    const seen = new Set<number>();
    while (!done) seen.add(await raw(BOOKS).countDocuments());
    await finished;
    seen.add(await raw(BOOKS).countDocuments());
    expect([...seen].filter((count) => count !== 0)).toEqual([3000]);
  });

  test('name the failed write at any position and write nothing', async () => {
    const { commit, raw, stored } = await open();
    await raw(BOOKS).createIndex({ slug: 1 }, { unique: true, sparse: true });
    await commit([insert(BOOKS, 1, { slug: 'a' }), insert(BOOKS, 2, {}), insert(BOOKS, 3, {})]);
    const many = Array.from({ length: 700 }, (_, n) => insert(NEIGHBOUR, n, {}));
    const cases = [
      [insert(BOOKS, 9, { slug: 'a' }), { reason: 'duplicate', fields: ['slug'] }],
      [update(BOOKS, 2, 1, { slug: 'a' }), { reason: 'duplicate', fields: ['slug'] }],
      [update(BOOKS, 2, 5, {}), { reason: 'conflict' }],
      [update(BOOKS, 7, 1, {}), { reason: 'conflict' }],
      [remove(BOOKS, 2, 2), { reason: 'conflict' }],
      [remove(BOOKS, 7, 1), { reason: 'conflict' }],
    ] as const;
    for (const [bad, refusal] of cases) {
      const good = bad.kind === 'insert' ? insert(BOOKS, 8, {}) : { ...bad, id: idOf(3), v: 1 };
      if (good.kind === 'update') Object.assign(good, { document: { _id: idOf(3), v: 2 } });
      const failure = await failureOf(commit([...many, good, bad, remove(BOOKS, 1, 1)]));
      expect(failure).toMatchObject({ ...refusal, index: 701 });
    }
    expect(await raw(NEIGHBOUR).countDocuments()).toBe(0);
    expect(await stored(BOOKS)).toHaveLength(3);
  });

  test('succeed for exactly one of several racing commits', async () => {
    const { commit, stored } = await open();
    for (let round = 1; round <= 5; round += 1) {
      const numbers = Array.from({ length: 20 }, (_, n) => round * 100 + n);
      await commit(numbers.map((n) => insert(BOOKS, n, {})));
      const race = Array.from({ length: 5 }, (_, racer) =>
        commit([
          ...numbers.map((n) => update(BOOKS, n, 1, { racer })),
          insert(NEIGHBOUR, round * 10 + racer, {}),
        ]),
      );
      const results = await Promise.allSettled(race);
      const won = results.flatMap(({ status }, racer) => (status === 'fulfilled' ? [racer] : []));
      expect(won).toHaveLength(1);
      const reasons = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.reason] : []));
      expect(reasons).toEqual(['conflict', 'conflict', 'conflict', 'conflict']);
      expect((await stored(BOOKS)).slice(-20).map((book) => book['racer'])).toEqual(
        numbers.map(() => won[0]),
      );
    }
    expect(await stored(NEIGHBOUR)).toHaveLength(5);
  });

  test('succeed for all commits that race to create collections', async () => {
    const { commit, raw } = await open();
    const spaces = [BOOKS, NEIGHBOUR];
    await Promise.all(Array.from({ length: 8 }, (_, n) => commit(spaces.map((ns) => insert(ns, n, {})))));
    for (const ns of spaces) expect(await raw(ns).countDocuments()).toBe(8);
  });

  test('span several databases', async () => {
    const { commit, raw } = await open();
    const elsewhere = { ...ELSEWHERE, database: `${raw(BOOKS).dbName}-library` };
    const bad = remove(BOOKS, 1, 1);
    await failureOf(commit([insert(elsewhere, 1, {}), bad]));
    expect(await raw(elsewhere).countDocuments()).toBe(0);
    await commit([insert(elsewhere, 1, {}), insert(BOOKS, 1, {})]);
    expect(await raw(elsewhere).countDocuments()).toBe(1);
    await rawClient(replicaSet).db(elsewhere.database).dropDatabase();
  });

  test('wait for a locked document until the deadline', async () => {
    const { commit, raw, stored } = await open();
    await commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {})]);
    const session = rawClient(replicaSet).startSession();
    session.startTransaction();
    const target = rawClient(replicaSet).db(raw(BOOKS).dbName).collection(BOOKS.collection);
    await target.updateOne({ _id: new ObjectId(idOf(1)) }, { $set: { busy: true } }, { session });
    const writes = [update(BOOKS, 1, 1, { n: 1 }), update(BOOKS, 2, 1, { n: 1 })];
    const failure = await failureOf(commit(writes, { deadline: Date.now() + 300 }));
    expect(failure.reason).toBe('timeout');
    const patient = commit(writes);
    await session.abortTransaction();
    await session.endSession();
    await patient;
    expect((await stored(BOOKS)).map(({ v }) => v)).toEqual([2, 2]);
  });
});
