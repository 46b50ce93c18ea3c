import { Long, ObjectId } from 'mongodb';
import { expect, test } from 'vitest';
import type { Namespace, Write } from '../../../../src/stores/ports.ts';
import { BOOKS, failureOf, idOf, insert, NEIGHBOUR } from '../../../contracts/store-cases.ts';
import { describeMongo, ownDatabase } from '../../../helpers/store/mongo-servers.ts';
import { openWorkbench, remove, update } from './workbench.ts';

describeMongo('commits on MongoDB', (servers) => {
  for (const kind of ['standalone', 'replicaSet'] as const) {
    const open = async () => openWorkbench(await ownDatabase(servers[kind]));

    test(`${kind}: an empty commit succeeds even past its deadline`, async () => {
      const { commit } = await open();
      await commit([], { deadline: 0 });
    });

    test(`${kind}: ids are stored as ObjectIds and nothing is added to documents`, async () => {
      const { commit, stored } = await open();
      await commit([insert(BOOKS, 1, { ref: idOf(7) }), insert(NEIGHBOUR, 2, {})]);
      await commit([{ kind: 'insert', ns: BOOKS, document: { _id: 'settings', v: 1 } }]);
      expect(await stored(BOOKS)).toEqual([
        { _id: 'settings', v: 1 },
        { _id: new ObjectId(idOf(1)), v: 1, ref: idOf(7) },
      ]);
    });

    test(`${kind}: fields that do not change keep the types that others gave them`, async () => {
      const { commit, raw, stored } = await open();
      const foreign = {
        at: new Date(5),
        ref: new ObjectId(idOf(9)),
        big: Long.fromString('9007199254740993'),
      };
      const all = [1, 2].map((n) => ({ _id: new ObjectId(idOf(n)), ...foreign, title: 'a', gone: 1 }));
      await raw(BOOKS).insertMany(all);
      const write = (n: number) => ({
        kind: 'update' as const,
        ns: BOOKS,
        id: idOf(n),
        v: 0,
        document: { _id: idOf(n), title: 'b', v: 1 },
        changed: ['title', 'gone', 'v'],
      });
      await commit([write(1)]);
      await commit([write(2), insert(NEIGHBOUR, 1, {})]);
      const left = { ...foreign, title: 'b', v: 1 };
      expect(await stored(BOOKS)).toEqual(
        [1, 2].map((n) => ({ _id: new ObjectId(idOf(n)), ...left, big: expect.anything() })),
      );
      expect(await raw(BOOKS).countDocuments({ big: foreign.big, at: foreign.at })).toBe(2);
    });

    test(`${kind}: field names that update operators reject are written`, async () => {
      const { commit, stored } = await open();
      await commit([insert(BOOKS, 1, { 'a.b': 1 }), insert(BOOKS, 2, { 'a.b': 1 })]);
      const odd = JSON.parse(
        '{"a.b":2,"":3,"_bsontype":"ObjectId","in":{"__proto__":5,"_bsontype":"Long","$x":1}}',
      );
      await commit([update(BOOKS, 1, 1, odd)]);
      const { '': _, 'a.b': __, ...plain } = odd;
      await commit([update(BOOKS, 2, 1, { ...plain, 'a.b': 1 }), insert(NEIGHBOUR, 1, odd)]);
      const [first, second] = await stored(BOOKS);
      expect(JSON.parse(JSON.stringify(first))).toEqual({ _id: idOf(1), ...odd, v: 2 });
      expect(JSON.parse(JSON.stringify(second))).toEqual({ _id: idOf(2), ...plain, 'a.b': 1, v: 2 });
    });

    test(`${kind}: an unreadable version counts as 0, as readers see it`, async () => {
      const { commit, raw, stored } = await open();
      const versions = [undefined, null, 'x', Number.NaN, [5], { a: 1 }, 0, Number.POSITIVE_INFINITY];
      const all = versions.map((v, n) => ({ _id: new ObjectId(idOf(n)), ...(v !== undefined && { v }) }));
      for (const ns of [BOOKS, NEIGHBOUR])
        await raw(ns).insertMany(
          structuredClone(all).map((one, n) => ({ ...one, _id: new ObjectId(idOf(n)) })) as never[],
        );
      for (const n of versions.keys()) await commit([update(BOOKS, n, 0, { n })]);
      await commit([...versions.keys()].map((n) => update(NEIGHBOUR, n, 0, { n })));
      for (const ns of [BOOKS, NEIGHBOUR]) {
        expect((await stored(ns)).map(({ v }) => v)).toEqual(versions.map(() => 1));
      }
      for (const writes of [[remove(BOOKS, 0, 0)], [remove(BOOKS, 1, 1), remove(BOOKS, 0, 0)]]) {
        expect(await failureOf(commit(writes))).toMatchObject({ reason: 'conflict' });
      }
    });

    test(`${kind}: listeners are called before a commit resolves, and one that throws has no effect`, async () => {
      const { commit, onCommit: watch, errors } = await open();
      const heard: (readonly Namespace[])[] = [];
      const defect = new Error('a defect');
      watch(() => {
        throw defect;
      });
      const stop = watch((changed) => heard.push(changed));
      await commit([insert(BOOKS, 1, {})]);
      expect(heard).toEqual([[BOOKS]]);
      await commit([insert(NEIGHBOUR, 1, {}), insert(BOOKS, 2, {}), insert(NEIGHBOUR, 2, {})]);
      await failureOf(commit([insert(BOOKS, 1, {})]));
      await failureOf(commit([insert(BOOKS, 3, {}), remove(BOOKS, 1, 9)]));
      stop();
      await commit([insert(BOOKS, 4, {})]);
      expect(heard).toEqual([[BOOKS], [NEIGHBOUR, BOOKS]]);
      expect(errors.map(([context]) => context)).toEqual([{ err: defect }, { err: defect }, { err: defect }]);
    });

    test(`${kind}: a commit past its deadline changes nothing`, async () => {
      const { commit, stored } = await open();
      for (const writes of [[insert(BOOKS, 1, {})], [insert(BOOKS, 1, {}), insert(NEIGHBOUR, 1, {})]]) {
        const failure = await failureOf(commit(writes, { deadline: Date.now() - 1 }));
        expect(failure.reason).toBe('timeout');
      }
      expect(await stored(BOOKS)).toEqual([]);
    });

    // The number matters to transactions alone; without them a few batches of each kind of write are enough.
    const most = kind === 'replicaSet' ? 10_000 : 2000;
    test(`${kind}: ${most} documents are one commit`, async () => {
      const { commit, raw } = await open();
      const numbers = Array.from({ length: most }, (_, n) => n);
      const patiently = (writes: readonly Write[]) => commit(writes, { deadline: Date.now() + 120_000 });
      await patiently(numbers.map((n) => insert(BOOKS, n, { n, pad: 'x'.repeat(500) })));
      await patiently(numbers.map((n) => update(BOOKS, n, 1, { n: -n })));
      expect(await raw(BOOKS).countDocuments({ n: { $lt: 0 }, v: 2 })).toBe(most - 1);
      await patiently(numbers.map((n) => remove(BOOKS, n, 2)));
      expect(await raw(BOOKS).countDocuments()).toBe(0);
    });
  }
});
