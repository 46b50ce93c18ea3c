// The contract of document stores: declared indexes, and what is measured of them.
import { describe, expect, it } from 'vitest';
import type { StoreError } from '../../src/errors/errors.ts';
import type { Json } from '../../src/lib/json/json.ts';
import type { IndexDefinition } from '../../src/stores/ports.ts';
import {
  BOOKS,
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

/** Registers what declared indexes must do, and what is measured. */
export function indexContract(subject: Subject): void {
  describe('indexes', () => {
    const ensure = async (...definitions: IndexDefinition[]) => {
      const { built } = await subject.store.ensureIndexes(BOOKS, definitions);
      await built;
    };

    it('does not change what queries find', async () => {
      await subject.store.commit(
        [5, 3, 8, 1].map((n, at) => insert(BOOKS, at, { n, tags: [`t${n}`, 'all'], Name: `N${n}` })),
      );
      const ask = async () => [
        await idsOf(subject, { sort: [['n', -1]] }),
        await idsOf(subject, { filter: where('n', { kind: 'gt', value: 2 }), sort: [['n', 1]] }),
        await idsOf(subject, {
          filter: where('tags', { kind: 'eq', value: 'ALL', caseInsensitive: true }),
          sort: [['n', 1]],
        }),
        await idsOf(subject, { filter: where('tags', { kind: 'in', values: ['t1', 't8', 'all'] }) }),
      ];
      const before = await ask();
      await ensure(index('n', { n: 1 }), {
        ...index('tags', { tags: 1, n: -1 }),
        keys: [
          { path: 'tags', direction: 1 },
          { path: 'n', direction: -1 },
        ],
      });
      expect(await ask()).toEqual(before);
      await ensure();
      expect(await ask()).toEqual(before);
    });

    it('holds unique fields to what MongoDB holds them to', async () => {
      await ensure(index('isbn', { isbn: 1 }, { unique: true }));
      await subject.store.commit([
        insert(BOOKS, 1, { isbn: 'a' }),
        insert(BOOKS, 2, {}),
        insert(BOOKS, 3, { isbn: 'A' }),
      ]);
      const refused = [{ isbn: 'a' }, {}, { isbn: null }, { isbn: ['x', 'a'] }];
      for (const [at, fields] of refused.entries()) {
        const failure = await failureOf(subject.store.commit([insert(BOOKS, 10 + at, fields)]));
        expect(failure).toMatchObject({ reason: 'duplicate', index: 0, fields: ['isbn'] });
      }
      await subject.store.commit([
        insert(BOOKS, 20, { isbn: ['b', 'b', 'c'] }),
        insert(NEIGHBOUR, 1, { isbn: 'a' }),
      ]);
      const document = { _id: idOf(20), v: 2, isbn: ['c', 'd'] };
      await subject.store.commit([
        { kind: 'update', ns: BOOKS, id: idOf(20), v: 1, document, changed: ['isbn', 'v'] },
      ]);
      await subject.store.commit([insert(BOOKS, 21, { isbn: 'b' })]);
      await subject.store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(1), v: 1 }]);
      await subject.store.commit([insert(BOOKS, 22, { isbn: 'a' })]);
    });

    it('leaves documents without the field out of a sparse index', async () => {
      await ensure(index('isbn', { isbn: 1 }, { unique: true, sparse: true }));
      await subject.store.commit([
        insert(BOOKS, 1, {}),
        insert(BOOKS, 2, {}),
        insert(BOOKS, 3, { isbn: 'a' }),
      ]);
      expect(await failureOf(subject.store.commit([insert(BOOKS, 4, { isbn: 'a' })]))).toMatchObject({
        reason: 'duplicate',
      });
      expect(await idsOf(subject, { sort: [['isbn', 1]] })).toEqual([1, 2, 3]);
      expect(await idsOf(subject, { filter: where('isbn', { kind: 'eq', value: null }) })).toEqual([1, 2]);
    });

    it('leaves the elements of a list without the field out of a sparse index', async () => {
      await ensure(index('x', { 'o.x': 1 }, { unique: true, sparse: true }));
      const lists: readonly Json[] = [
        [{ y: 1 }, { x: 'a' }],
        [{ y: 1 }, { x: 'b' }],
        [1, { x: 'c' }],
        [2, { x: 'd' }],
        [{ y: 1 }],
        [],
      ];
      await subject.store.commit(lists.map((o, at) => insert(BOOKS, at, { o })));
      const refused: readonly Json[] = [[{ y: 2 }, { x: 'a' }], { x: 'b' }];
      for (const o of refused) {
        const failure = await failureOf(subject.store.commit([insert(BOOKS, 10, { o })]));
        expect(failure).toMatchObject({ reason: 'duplicate', fields: ['o.x'] });
      }
      await subject.store.commit([insert(BOOKS, 11, { o: [{ x: null }, { y: 1 }] })]);
      const second = subject.store.commit([insert(BOOKS, 12, { o: { x: null } })]);
      expect(await failureOf(second)).toMatchObject({ reason: 'duplicate' });
      const document = { _id: idOf(1), v: 2, o: [{ y: 1 }, { x: 'e' }, 3] };
      await subject.store.commit([
        { kind: 'update', ns: BOOKS, id: idOf(1), v: 1, document, changed: ['o', 'v'] },
      ]);
      await subject.store.commit([insert(BOOKS, 13, { o: [{ y: 1 }, { x: 'b' }] })]);
      const missing = where('o.x', { kind: 'eq', value: null });
      expect(await idsOf(subject, { filter: missing })).toEqual([0, 1, 4, 11, 13]);
    });

    it('leaves the rows of a compound sparse index out that have none of its fields', async () => {
      await ensure(index('xy', { 'o.x': 1, 'o.y': 1 }, { unique: true, sparse: true }));
      await subject.store.commit([
        insert(BOOKS, 1, { o: [{ z: 1 }, { x: 'a' }] }),
        insert(BOOKS, 2, { o: [{ z: 1 }, { x: 'b' }] }),
        insert(BOOKS, 3, { o: [{ z: 1 }, { y: 'a' }] }),
      ]);
      const same = subject.store.commit([insert(BOOKS, 4, { o: { x: 'a' } })]);
      expect(await failureOf(same)).toMatchObject({ reason: 'duplicate', fields: ['o.x', 'o.y'] });
    });

    it('refuses a unique index that data break, and changes nothing', async () => {
      await subject.store.commit([insert(BOOKS, 1, { a: 1, b: 1 }), insert(BOOKS, 2, { a: 1, b: 2 })]);
      await ensure(index('b', { b: 1 }, { unique: true }));
      const broken = index('a', { a: 1 }, { unique: true });
      const failure = await failureOf(subject.store.ensureIndexes(BOOKS, [broken]));
      expect(failure).toMatchObject({ reason: 'duplicate', fields: ['a'] });
      expect(await failureOf(subject.store.commit([insert(BOOKS, 3, { b: 2 })]))).toMatchObject({
        fields: ['b'],
      });
      await subject.store.commit([insert(BOOKS, 4, { a: 1, b: 4 })]);
    });

    it('drops what is no longer named', async () => {
      await ensure(index('a', { a: 1 }, { unique: true }));
      await subject.store.commit([insert(BOOKS, 1, { a: 1 })]);
      await ensure(index('b', { b: 1 }));
      await subject.store.commit([insert(BOOKS, 2, { a: 1 })]);
      expect(Object.keys((await subject.store.stats(BOOKS)).indexSizes)).toContain('b');
      expect(Object.keys((await subject.store.stats(BOOKS)).indexSizes)).not.toContain('a');
    });

    it('keeps indexes across a restart', async () => {
      await ensure(index('a', { a: 1 }, { unique: true }));
      await subject.store.commit([insert(BOOKS, 1, { a: 1 })]);
      await subject.reopen();
      await ensure(index('a', { a: 1 }, { unique: true }));
      expect(await failureOf(subject.store.commit([insert(BOOKS, 2, { a: 1 })]))).toMatchObject({
        fields: ['a'],
      });
    });

    it('refuses two arrays in one compound key, and in one sort', async () => {
      await ensure(index('ab', { a: 1, b: 1 }));
      const both = insert(BOOKS, 1, { a: [1, 2], b: [3, 4] });
      const failure = await failureOf(subject.store.commit([insert(BOOKS, 2, { a: [1], b: 1 }), both]));
      expect(failure).toMatchObject({ reason: 'parallel-arrays', index: 1 });
      await ensure();
      await subject.store.commit([both]);
      const sort = [
        ['a', 1],
        ['b', 1],
      ] as const;
      expect(await failureOf(subject.store.find(BOOKS, query({ sort })))).toMatchObject({
        reason: 'parallel-arrays',
        fields: ['a', 'b'],
      });
      await subject.store.commit([insert(BOOKS, 3, { a: 1, b: 2 })]);
      // Whatever way a store finds: the document does not match, and is in nobody's way.
      for (const pattern of ['3$', '^0+3$', '(0|3)*3']) {
        const filter = where('_id', { kind: 'regex', pattern, flags: '' });
        expect(await idsOf(subject, { filter, sort })).toEqual([3]);
      }
    });

    it('refuses a number in a path that is a position and a name in one list', async () => {
      await ensure(index('list', { 'list.0': 1 }), index('deep', { 'o.list.1.x': -1 }));
      const refused = [
        [{ list: [{ 0: 'y' }] }, 'list.0'],
        [{ list: [1, { 0: 'y' }] }, 'list.0'],
        [{ o: { list: [1, { 1: {}, x: 2 }] } }, 'o.list.1.x'],
        [{ o: [{ list: [[], { 1: 3 }] }] }, 'o.list.1.x'],
      ] as const;
      for (const [fields, path] of refused) {
        const failure = await failureOf(subject.store.commit([insert(BOOKS, 1, fields)]));
        expect(failure).toMatchObject({ reason: 'parallel-arrays', index: 0, fields: [path] });
        expect((failure as StoreError).explanation).toContain(`no index on \`${path}\` can hold it`);
      }
      const held = [
        { list: { 0: 'y' } },
        { list: [] },
        { list: [[{ 0: 1 }]] },
        { list: [{ 1: 'y' }] },
        { o: { list: [{ 1: 3 }] } },
      ];
      await subject.store.commit(held.map((fields, n) => insert(BOOKS, n + 10, fields)));
      expect(await idsOf(subject, {})).toHaveLength(held.length);
    });

    it('builds while documents are read and written', async () => {
      const writes = Array.from({ length: 2000 }, (_, n) => insert(BOOKS, n, { n, pad: 'x'.repeat(200) }));
      await subject.store.commit(writes);
      const ready = subject.store.ensureIndexes(BOOKS, [
        index('n', { n: -1 }),
        index('pad', { pad: 1, n: 1 }),
      ]);
      for (let n = 0; n < 50; n += 1) {
        const document = { _id: idOf(n * 40), v: 2, n: -n, pad: 'y' };
        await subject.store.commit([
          { kind: 'update', ns: BOOKS, id: document._id, v: 1, document, changed: ['n', 'v', 'pad'] },
          { kind: 'remove', ns: BOOKS, id: idOf(n * 40 + 1), v: 1 },
          insert(BOOKS, 5000 + n, { n: 5000 + n, pad: 'z' }),
        ]);
        expect(await idsOf(subject, { limit: 1, sort: [['n', -1]] })).toEqual([5000 + n]);
      }
      await (await ready).built;
      expect(
        await idsOf(subject, { filter: where('pad', { kind: 'eq', value: 'y' }), sort: [['n', -1]] }),
      ).toEqual(Array.from({ length: 50 }, (_, n) => n * 40));
      expect(await subject.store.count(BOOKS, where('n', { kind: 'gte', value: 5000 }))).toBe(50);
    });
  });

  describe('statistics', () => {
    it('measures text in bytes, whatever its characters', async () => {
      const text = '€'.repeat(1000);
      await subject.store.commit([1, 2].map((n) => insert(BOOKS, n, { text })));
      const { size, averageObjectSize } = await subject.store.stats(BOOKS);
      expect(size).toBeGreaterThan(6000);
      expect(size).toBeLessThan(6300);
      expect(averageObjectSize).toBe(size / 2);
    });

    it('measures documents and indexes', async () => {
      const { built } = await subject.store.ensureIndexes(BOOKS, [index('n', { n: 1 })]);
      await built;
      await subject.store.commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, { n })));
      await subject.store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(4), v: 1 }]);
      const stats = await subject.store.stats(BOOKS);
      expect(stats.count).toBe(3);
      expect(stats.size).toBeGreaterThan(0);
      expect(stats.averageObjectSize).toBeCloseTo(stats.size / 3);
      expect(stats.storageSize).toBeGreaterThan(0);
      expect(stats.indexes).toBe(Object.keys(stats.indexSizes).length);
      expect(stats.indexSizes['n']).toBeGreaterThan(0);
      expect(stats.totalIndexSize).toBe(Object.values(stats.indexSizes).reduce((a, b) => a + b, 0));
    });

    it('counts again after every write', async () => {
      const filter = where('n', { kind: 'gte', value: 2 });
      await subject.store.commit([1, 2, 3].map((n) => insert(BOOKS, n, { n })));
      expect(await subject.store.count(BOOKS, filter)).toBe(2);
      await subject.store.commit([insert(BOOKS, 4, { n: 4 })]);
      expect(await subject.store.count(BOOKS, filter)).toBe(3);
      await subject.store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(2), v: 1 }]);
      expect(await subject.store.count(BOOKS, filter)).toBe(2);
    });
  });
}
