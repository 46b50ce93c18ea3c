// The contract of document stores: what reading gives.
import { describe, expect, it } from 'vitest';
import { RECORD_SEPARATOR, splitTexts } from '../../src/lib/chunked-text.ts';
import type { Json } from '../../src/lib/json/json.ts';
import { MATCH_ALL } from '../../src/stores/filter.ts';
import type { FindQuery } from '../../src/stores/ports.ts';
import {
  BOOKS,
  ELSEWHERE,
  failureOf,
  idOf,
  idsOf,
  index,
  insert,
  NEIGHBOUR,
  query,
  type Subject,
  where,
} from './store-cases.ts';

/** Registers what reading must give. */
export function readingContract(subject: Subject): void {
  describe('reading', () => {
    it('finds nothing where nothing was ever written', async () => {
      expect(await subject.store.find(BOOKS, query())).toEqual([]);
      expect(await subject.store.count(BOOKS, MATCH_ALL)).toBe(0);
      expect(await subject.collections()).toEqual([]);
      expect(await subject.store.stats(BOOKS)).toMatchObject({ count: 0, size: 0, averageObjectSize: 0 });
    });

    // `_id` last, as the domain writes it: a store may have its own place for it.
    it('returns documents as they were written, members in order', async () => {
      const document = {
        z: 1,
        a: { y: [1, 'two', null, { deep: true }], b: -0.5 },
        text: 'naïve \u0000 "quoted" 😀',
        _id: idOf(1),
      };
      await subject.store.commit([{ kind: 'insert', ns: BOOKS, document }]);
      expect(await subject.store.find(BOOKS, query())).toEqual([document]);
      expect(await subject.store.findText(BOOKS, query())).toEqual([JSON.stringify(document)]);
    });

    it('keeps namespaces apart', async () => {
      await subject.store.commit([
        insert(BOOKS, 1, { at: 'books' }),
        insert(NEIGHBOUR, 1, { at: 'neighbour' }),
        insert(ELSEWHERE, 1, { at: 'elsewhere' }),
      ]);
      for (const [ns, at] of [
        [BOOKS, 'books'],
        [NEIGHBOUR, 'neighbour'],
        [ELSEWHERE, 'elsewhere'],
      ] as const) {
        expect(await subject.store.find(ns, query())).toMatchObject([{ at }]);
      }
      expect(await subject.collections()).toHaveLength(3);
      expect(await subject.collections()).toContainEqual(ELSEWHERE);
    });

    it('orders by _id unless told otherwise, ties by _id in the direction of the last key', async () => {
      await subject.store.commit([3, 1, 2, 4].map((n) => insert(BOOKS, n, { even: n % 2 === 0 })));
      expect(await idsOf(subject, {})).toEqual([1, 2, 3, 4]);
      expect(await idsOf(subject, { sort: [['_id', -1]] })).toEqual([4, 3, 2, 1]);
      expect(await idsOf(subject, { sort: [['even', 1]] })).toEqual([1, 3, 2, 4]);
      expect(await idsOf(subject, { sort: [['even', -1]] })).toEqual([4, 2, 3, 1]);
      expect(await idsOf(subject, { sort: [['missing', -1]] })).toEqual([4, 3, 2, 1]);
    });

    it('skips and limits', async () => {
      await subject.store.commit([1, 2, 3, 4, 5].map((n) => insert(BOOKS, n, { n })));
      expect(await idsOf(subject, { skip: 1, limit: 2 })).toEqual([2, 3]);
      expect(await idsOf(subject, { skip: 4, limit: 10, sort: [['n', -1]] })).toEqual([1]);
      expect(await idsOf(subject, { skip: 9 })).toEqual([]);
      expect(await idsOf(subject, { limit: 0 })).toEqual([]);
    });

    it('refuses a sort by two lists of one document on every page, also on those behind the last one', async () => {
      await subject.store.commit([insert(BOOKS, 1, { a: [1], b: [2] })]);
      const sort = [
        ['a', 1],
        ['b', 1],
      ] as const;
      for (const skip of [0, 1, 50_000]) {
        const failure = await failureOf(subject.store.find(BOOKS, query({ sort, skip })));
        expect(failure, `after ${skip} documents`).toMatchObject({ reason: 'parallel-arrays' });
      }
    });

    it('projects', async () => {
      await subject.store.commit([insert(BOOKS, 1, { a: 1, b: { c: 2, d: 3 } })]);
      const projected = async (projection: NonNullable<FindQuery['projection']>) =>
        (await subject.store.find(BOOKS, query({ projection })))[0];
      expect(await projected({ include: ['b.c'] })).toEqual({ _id: idOf(1), b: { c: 2 } });
      expect(await projected({ exclude: ['_id', 'b'] })).toEqual({ v: 1, a: 1 });
    });

    it('compares lists with lists, by an index too', async () => {
      const lists = [[[]], [[1]], [1, 2], [], [[], 1], [[[]]], [2]];
      await subject.store.commit(lists.map((any, at) => insert(BOOKS, at, { any })));
      const above = (value: Json) => idsOf(subject, { filter: where('any', { kind: 'gt', value }) });
      for (const indexes of [[], [index('any', { any: 1 })]]) {
        const { built } = await subject.store.ensureIndexes(BOOKS, indexes);
        await built;
        expect(await above([[]])).toEqual([1, 4, 5]);
        expect(await above([1, 2])).toEqual([0, 1, 4, 5, 6]);
      }
    });

    it('returns a page as one text: the same documents, joined by commas', async () => {
      await subject.store.commit([1, 2, 3, 4, 5].map((n) => insert(BOOKS, n, { n, tags: ['a', 'b'] })));
      const { built } = await subject.store.ensureIndexes(BOOKS, [
        index('n', { n: 1 }),
        index('tags', { tags: 1 }),
      ]);
      await built;
      for (const parts of [
        {},
        { limit: 2, skip: 1 },
        { limit: 0 },
        { skip: 9 },
        { sort: [['_id', -1]], limit: 3 },
        { sort: [['n', -1]], limit: 3, skip: 1 },
        { sort: [['other', 1]] },
        { filter: where('n', { kind: 'gt', value: 2 }), sort: [['n', 1]], limit: 2 },
        { filter: where('n', { kind: 'in', values: [4, 1, 9] }), sort: [['n', 1]] },
        { filter: where('n', { kind: 'eq', value: 9 }) },
        { filter: where('tags', { kind: 'in', values: ['a', 'b'] }) },
        { filter: where('_id', { kind: 'eq', value: idOf(3) }) },
        { filter: where('_id', { kind: 'in', values: [idOf(4), idOf(9), idOf(2)] }) },
        { projection: { include: ['n'] }, limit: 2 },
      ] satisfies Partial<FindQuery>[]) {
        const texts = await subject.store.findText(BOOKS, query(parts));
        const { text, count } = await subject.store.findPage(BOOKS, query(parts));
        expect([text].flat().join('')).toBe(texts.join(','));
        expect(count).toBe(texts.length);
        const separated = await subject.store.findPage(BOOKS, query(parts), { separator: RECORD_SEPARATOR });
        expect(splitTexts(separated)).toEqual(texts);
      }
    });

    it('returns a long page, in pieces or not', async () => {
      const filler = 'x'.repeat(90_000);
      await subject.store.commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, { filler })));
      const texts = await subject.store.findText(BOOKS, query());
      const { text, count } = await subject.store.findPage(BOOKS, query());
      expect([text].flat().join('')).toBe(texts.join(','));
      expect(count).toBe(4);
      const separated = await subject.store.findPage(BOOKS, query(), { separator: RECORD_SEPARATOR });
      expect(splitTexts(separated)).toEqual(texts);
    });

    it('finds documents by their ids, as they are now', async () => {
      const { store } = subject;
      const found = async (...numbers: number[]) => {
        const ids = numbers.map(idOf);
        // Ids may repeat, and others may be found too.
        const texts = await store.findByIds(BOOKS, [...ids, ...ids]);
        return ids.flatMap((id) => (texts.has(id) ? [[id, texts.get(id)]] : [])).sort();
      };
      const stored = async () => {
        const texts = await store.findText(BOOKS, query());
        return texts.map((text) => [JSON.parse(text)._id, text]);
      };
      expect(await found(1, 2)).toEqual([]);
      await store.commit([1, 2, 3].map((n) => insert(BOOKS, n, { n })));
      await store.commit([insert(NEIGHBOUR, 1, { at: 'neighbour' })]);
      expect(await found()).toEqual([]);
      expect(await found(3, 9, 1)).toEqual((await stored()).filter(([id]) => id !== idOf(2)));
      await store.commit([
        {
          kind: 'update',
          ns: BOOKS,
          id: idOf(1),
          v: 1,
          document: { _id: idOf(1), n: 7, v: 2 },
          changed: ['n', 'v'],
        },
        { kind: 'remove', ns: BOOKS, id: idOf(3), v: 1 },
        insert(BOOKS, 9, { n: 9 }),
      ]);
      expect(await found(3, 9, 1)).toEqual((await stored()).filter(([id]) => id !== idOf(2)));
      const failed = store.commit([
        { kind: 'remove', ns: BOOKS, id: idOf(1), v: 2 },
        { kind: 'remove', ns: BOOKS, id: idOf(2), v: 5 },
      ]);
      expect(await failureOf(failed)).toMatchObject({ reason: 'conflict' });
      expect(await found(1, 2, 9)).toEqual(await stored());
    });

    it('rejects and never throws', async () => {
      const options = { deadline: Date.now() - 1 };
      const { store } = subject;
      const begun = [
        store.find(BOOKS, query(), options),
        store.findText(BOOKS, query(), options),
        store.findPage(BOOKS, query(), options),
        store.findByIds(BOOKS, [idOf(1)], options),
        store.count(BOOKS, where('n', { kind: 'eq', value: 1 }), options),
        store.stats(BOOKS, options),
      ];
      for (const result of await Promise.allSettled(begun)) {
        expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'timeout' } });
      }
    });

    it('has all the time of a deadline that is far away', async () => {
      const { store } = subject;
      const options = { deadline: Number.MAX_SAFE_INTEGER };
      const ids = Array.from({ length: 200 }, (_, n) => n + 1);
      await Promise.all(ids.map((n) => store.commit([insert(BOOKS, n, { n })], options)));
      expect(await store.find(BOOKS, query({ limit: 1000 }), options)).toHaveLength(200);
      expect((await store.findByIds(BOOKS, [idOf(7)], options)).size).toBe(1);
      expect(await store.count(BOOKS, MATCH_ALL, options)).toBe(200);
    });

    it('ends with a timeout past the deadline', async () => {
      await subject.store.commit([insert(BOOKS, 1, { n: 1 })]);
      const options = { deadline: Date.now() - 1 };
      expect(await failureOf(subject.store.find(BOOKS, query(), options))).toMatchObject({
        reason: 'timeout',
      });
      const filter = where('n', { kind: 'eq', value: 1 });
      expect(await failureOf(subject.store.count(BOOKS, filter, options))).toMatchObject({
        reason: 'timeout',
      });
      const late = subject.store.commit([insert(BOOKS, 2, {})], options);
      expect(await failureOf(late)).toMatchObject({ reason: 'timeout' });
      expect(await subject.store.count(BOOKS, MATCH_ALL)).toBe(1);
    });
  });
}
