// What every adapter of the DocumentStore port must do. An adapter's test file calls `documentStoreContract`.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoreError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { EVERYTHING, type Filter, type Test } from '../../src/stores/filter.ts';
import type { DocumentStore, FindQuery, IndexDefinition, Namespace, Write } from '../../src/stores/ports.ts';
import { documentStoreDifferential } from './document-store-differential.ts';

export interface OpenedStore {
  readonly store: DocumentStore;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<DocumentStore>;
  /** Closes the store and removes its data. */
  dispose(): Promise<void>;
}

const BOOKS: Namespace = { database: null, collection: 'books' };
const NEIGHBOUR: Namespace = { database: null, collection: 'bookshelves' };
const ELSEWHERE: Namespace = { database: 'library', collection: 'books' };

export const idOf = (n: number): string => n.toString(16).padStart(24, '0');

export const insert = (ns: Namespace, n: number, fields: JsonObject): Write => ({
  kind: 'insert',
  ns,
  document: { _id: idOf(n), v: 1, ...fields },
});

export const where = (path: string, ...tests: Test[]): Filter => ({ kind: 'field', path, tests });

export const query = (parts: Partial<FindQuery> = {}): FindQuery => ({
  filter: EVERYTHING,
  sort: [],
  skip: 0,
  limit: 1000,
  ...parts,
});

export function index(name: string, keys: Record<string, 1 | -1>, more: Partial<IndexDefinition> = {}) {
  const parts = Object.entries(keys).map(([path, direction]) => ({ path, direction, fold: false }));
  return { name, keys: parts, unique: false, sparse: false, ...more } satisfies IndexDefinition;
}

/** The StoreError that `work` rejects with. */
export async function failureOf(work: Promise<unknown>): Promise<StoreError> {
  return work.then(
    () => {
      throw new Error('it was expected to fail');
    },
    (error: StoreError) => error,
  );
}

export function documentStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a document store`, () => {
    let opened: OpenedStore;
    let store: DocumentStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });

    afterEach(() => opened.dispose());

    const ids = async (parts: Partial<FindQuery>, ns = BOOKS) =>
      (await store.find(ns, query(parts))).map((document) => Number.parseInt(document._id, 16));

    describe('reading', () => {
      it('finds nothing where nothing was ever written', async () => {
        expect(await store.find(BOOKS, query())).toEqual([]);
        expect(await store.count(BOOKS, EVERYTHING)).toBe(0);
        expect(await store.collections()).toEqual([]);
        expect(await store.stats(BOOKS)).toMatchObject({ count: 0, size: 0, averageObjectSize: 0 });
      });

      it('returns documents as they were written, members in order', async () => {
        const document = {
          _id: idOf(1),
          z: 1,
          a: { y: [1, 'two', null, { deep: true }], b: -0.5 },
          text: 'naïve \u0000 "quoted" 😀',
        };
        await store.commit([{ kind: 'insert', ns: BOOKS, document }]);
        expect(await store.find(BOOKS, query())).toEqual([document]);
        expect(await store.findText(BOOKS, query())).toEqual([JSON.stringify(document)]);
      });

      it('keeps name spaces apart', async () => {
        await store.commit([
          insert(BOOKS, 1, { at: 'books' }),
          insert(NEIGHBOUR, 1, { at: 'neighbour' }),
          insert(ELSEWHERE, 1, { at: 'elsewhere' }),
        ]);
        for (const [ns, at] of [
          [BOOKS, 'books'],
          [NEIGHBOUR, 'neighbour'],
          [ELSEWHERE, 'elsewhere'],
        ] as const) {
          expect(await store.find(ns, query())).toMatchObject([{ at }]);
        }
        expect(await store.collections()).toHaveLength(3);
        expect(await store.collections()).toContainEqual(ELSEWHERE);
      });

      it('orders by _id unless told otherwise, ties by _id in the direction of the last key', async () => {
        await store.commit([3, 1, 2, 4].map((n) => insert(BOOKS, n, { even: n % 2 === 0 })));
        expect(await ids({})).toEqual([1, 2, 3, 4]);
        expect(await ids({ sort: [['_id', -1]] })).toEqual([4, 3, 2, 1]);
        expect(await ids({ sort: [['even', 1]] })).toEqual([1, 3, 2, 4]);
        expect(await ids({ sort: [['even', -1]] })).toEqual([4, 2, 3, 1]);
        expect(await ids({ sort: [['missing', -1]] })).toEqual([4, 3, 2, 1]);
      });

      it('skips and limits', async () => {
        await store.commit([1, 2, 3, 4, 5].map((n) => insert(BOOKS, n, { n })));
        expect(await ids({ skip: 1, limit: 2 })).toEqual([2, 3]);
        expect(await ids({ skip: 4, limit: 10, sort: [['n', -1]] })).toEqual([1]);
        expect(await ids({ skip: 9 })).toEqual([]);
        expect(await ids({ limit: 0 })).toEqual([]);
      });

      it('projects', async () => {
        await store.commit([insert(BOOKS, 1, { a: 1, b: { c: 2, d: 3 } })]);
        const projected = async (projection: NonNullable<FindQuery['projection']>) =>
          (await store.find(BOOKS, query({ projection })))[0];
        expect(await projected({ include: ['b.c'] })).toEqual({ _id: idOf(1), b: { c: 2 } });
        expect(await projected({ exclude: ['_id', 'b'] })).toEqual({ v: 1, a: 1 });
      });

      it('ends with a timeout past the deadline', async () => {
        await store.commit([insert(BOOKS, 1, { n: 1 })]);
        const options = { deadline: Date.now() - 1 };
        expect(await failureOf(store.find(BOOKS, query(), options))).toMatchObject({ reason: 'timeout' });
        const filter = where('n', { kind: 'eq', value: 1 });
        expect(await failureOf(store.count(BOOKS, filter, options))).toMatchObject({ reason: 'timeout' });
        const late = store.commit([insert(BOOKS, 2, {})], options);
        expect(await failureOf(late)).toMatchObject({ reason: 'timeout' });
        expect(await store.count(BOOKS, EVERYTHING)).toBe(1);
      });
    });

    describe('writing', () => {
      it('updates and removes the state that it was told, and leaves neighbours alone', async () => {
        await store.commit([1, 2, 3].map((n) => insert(BOOKS, n, { n })));
        const document = { _id: idOf(2), v: 2, n: 20 };
        await store.commit([
          { kind: 'update', ns: BOOKS, id: idOf(2), v: 1, document, changed: ['n', 'v'] },
          { kind: 'remove', ns: BOOKS, id: idOf(3), v: 1 },
        ]);
        expect(await store.find(BOOKS, query())).toEqual([{ _id: idOf(1), v: 1, n: 1 }, document]);
        expect(await store.count(BOOKS, EVERYTHING)).toBe(2);
      });

      it('takes a document without v for state 0', async () => {
        await store.commit([{ kind: 'insert', ns: BOOKS, document: { _id: idOf(1) } }]);
        await store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(1), v: 0 }]);
        expect(await store.count(BOOKS, EVERYTHING)).toBe(0);
      });

      it('refuses a state that is no longer there, and names the write', async () => {
        await store.commit([insert(BOOKS, 1, {})]);
        const stale: Write = { kind: 'remove', ns: BOOKS, id: idOf(1), v: 7 };
        const gone: Write = { kind: 'remove', ns: BOOKS, id: idOf(9), v: 1 };
        const nowhere: Write = { kind: 'remove', ns: ELSEWHERE, id: idOf(1), v: 1 };
        for (const write of [stale, gone, nowhere]) {
          const failure = await failureOf(store.commit([insert(BOOKS, 2, {}), write]));
          expect(failure).toMatchObject({ name: 'StoreError', reason: 'conflict', index: 1 });
        }
        expect(await ids({})).toEqual([1]);
      });

      it('refuses an _id that is taken', async () => {
        await store.commit([insert(BOOKS, 1, { first: true })]);
        const failure = await failureOf(store.commit([insert(BOOKS, 2, {}), insert(BOOKS, 1, {})]));
        expect(failure).toMatchObject({ reason: 'duplicate', index: 1, fields: ['_id'] });
        expect(await store.find(BOOKS, query())).toMatchObject([{ first: true }]);
      });

      it('commits across name spaces or not at all', async () => {
        const bad: Write = { kind: 'remove', ns: BOOKS, id: idOf(1), v: 1 };
        await failureOf(store.commit([insert(ELSEWHERE, 1, {}), insert(NEIGHBOUR, 1, {}), bad]));
        expect(await store.collections()).toEqual([]);
        await store.commit([insert(ELSEWHERE, 1, {}), insert(NEIGHBOUR, 1, {})]);
        expect(await store.collections()).toHaveLength(2);
      });

      it('lets one of two racing writers win', async () => {
        await store.commit([insert(BOOKS, 1, { n: 0 })]);
        const race = [1, 2, 3, 4].map((n) =>
          store.commit([
            {
              kind: 'update',
              ns: BOOKS,
              id: idOf(1),
              v: 1,
              document: { _id: idOf(1), v: 2, n },
              changed: ['n', 'v'],
            },
          ]),
        );
        const results = await Promise.allSettled(race);
        expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
      });

      it('writes thousands in one commit', async () => {
        const writes = Array.from({ length: 3000 }, (_, n) => insert(BOOKS, n, { n, pad: 'x'.repeat(100) }));
        await store.commit(writes);
        expect(await store.count(BOOKS, EVERYTHING)).toBe(3000);
        const failure = await failureOf(
          store.commit([
            ...writes.slice(1).map((_, at) => insert(NEIGHBOUR, at, {})),
            insert(BOOKS, 5, {}),
          ]),
        );
        expect(failure).toMatchObject({ reason: 'duplicate', index: 2999 });
        expect(await store.count(NEIGHBOUR, EVERYTHING)).toBe(0);
        expect(await ids({ skip: 2998 })).toEqual([2998, 2999]);
      });

      it('tells watchers after each commit which name spaces it wrote', async () => {
        const heard: (readonly Namespace[])[] = [];
        const stop = store.watch((changed) => heard.push(changed));
        await store.commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {}), insert(ELSEWHERE, 1, {})]);
        await failureOf(store.commit([insert(BOOKS, 1, {})]));
        stop();
        await store.commit([insert(BOOKS, 3, {})]);
        expect(heard).toEqual([[BOOKS, ELSEWHERE]]);
      });

      it('keeps everything across a restart', async () => {
        await store.commit([insert(BOOKS, 1, { n: 1 }), insert(ELSEWHERE, 2, { n: 2 })]);
        store = await opened.reopen();
        expect(await ids({})).toEqual([1]);
        expect(await store.count(ELSEWHERE, EVERYTHING)).toBe(1);
        await store.health();
      });

      it('refuses everything once closed', async () => {
        await store.close();
        await store.close();
        for (const work of [
          store.find(BOOKS, query()),
          store.commit([insert(BOOKS, 1, {})]),
          store.health(),
        ]) {
          expect(await failureOf(work)).toMatchObject({ reason: 'unavailable' });
        }
        store = await opened.reopen();
      });
    });

    describe('indexes', () => {
      const ensure = async (...definitions: IndexDefinition[]) => {
        const { built } = await store.ensureIndexes(BOOKS, definitions);
        await built;
      };

      it('does not change what queries find', async () => {
        await store.commit(
          [5, 3, 8, 1].map((n, at) => insert(BOOKS, at, { n, tags: [`t${n}`, 'all'], Name: `N${n}` })),
        );
        const ask = async () => [
          await ids({ sort: [['n', -1]] }),
          await ids({ filter: where('n', { kind: 'gt', value: 2 }), sort: [['n', 1]] }),
          await ids({ filter: where('tags', { kind: 'eq', value: 'ALL', fold: true }), sort: [['n', 1]] }),
          await ids({ filter: where('tags', { kind: 'in', values: ['t1', 't8', 'all'] }) }),
        ];
        const before = await ask();
        await ensure(index('n', { n: 1 }), {
          ...index('tags', { tags: 1, n: -1 }),
          keys: [
            { path: 'tags', direction: 1, fold: true },
            { path: 'n', direction: -1, fold: false },
          ],
        });
        expect(await ask()).toEqual(before);
        await ensure();
        expect(await ask()).toEqual(before);
      });

      it('holds unique fields to what MongoDB holds them to', async () => {
        await ensure(index('isbn', { isbn: 1 }, { unique: true }));
        await store.commit([
          insert(BOOKS, 1, { isbn: 'a' }),
          insert(BOOKS, 2, {}),
          insert(BOOKS, 3, { isbn: 'A' }),
        ]);
        const refused = [{ isbn: 'a' }, {}, { isbn: null }, { isbn: ['x', 'a'] }];
        for (const [at, fields] of refused.entries()) {
          const failure = await failureOf(store.commit([insert(BOOKS, 10 + at, fields)]));
          expect(failure).toMatchObject({ reason: 'duplicate', index: 0, fields: ['isbn'] });
        }
        await store.commit([
          insert(BOOKS, 20, { isbn: ['b', 'b', 'c'] }),
          insert(NEIGHBOUR, 1, { isbn: 'a' }),
        ]);
        const document = { _id: idOf(20), v: 2, isbn: ['c', 'd'] };
        await store.commit([
          { kind: 'update', ns: BOOKS, id: idOf(20), v: 1, document, changed: ['isbn', 'v'] },
        ]);
        await store.commit([insert(BOOKS, 21, { isbn: 'b' })]);
        await store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(1), v: 1 }]);
        await store.commit([insert(BOOKS, 22, { isbn: 'a' })]);
      });

      it('leaves documents without the field out of a sparse index', async () => {
        await ensure(index('isbn', { isbn: 1 }, { unique: true, sparse: true }));
        await store.commit([insert(BOOKS, 1, {}), insert(BOOKS, 2, {}), insert(BOOKS, 3, { isbn: 'a' })]);
        expect(await failureOf(store.commit([insert(BOOKS, 4, { isbn: 'a' })]))).toMatchObject({
          reason: 'duplicate',
        });
        expect(await ids({ sort: [['isbn', 1]] })).toEqual([1, 2, 3]);
        expect(await ids({ filter: where('isbn', { kind: 'eq', value: null }) })).toEqual([1, 2]);
      });

      it('refuses a unique index that data break, and changes nothing', async () => {
        await store.commit([insert(BOOKS, 1, { a: 1, b: 1 }), insert(BOOKS, 2, { a: 1, b: 2 })]);
        await ensure(index('b', { b: 1 }, { unique: true }));
        const broken = index('a', { a: 1 }, { unique: true });
        const failure = await failureOf(store.ensureIndexes(BOOKS, [broken]));
        expect(failure).toMatchObject({ reason: 'duplicate', fields: ['a'] });
        expect(await failureOf(store.commit([insert(BOOKS, 3, { b: 2 })]))).toMatchObject({ fields: ['b'] });
        await store.commit([insert(BOOKS, 4, { a: 1, b: 4 })]);
      });

      it('drops what is no longer named', async () => {
        await ensure(index('a', { a: 1 }, { unique: true }));
        await store.commit([insert(BOOKS, 1, { a: 1 })]);
        await ensure(index('b', { b: 1 }));
        await store.commit([insert(BOOKS, 2, { a: 1 })]);
        expect(Object.keys((await store.stats(BOOKS)).indexSizes)).toContain('b');
        expect(Object.keys((await store.stats(BOOKS)).indexSizes)).not.toContain('a');
      });

      it('keeps indexes across a restart', async () => {
        await ensure(index('a', { a: 1 }, { unique: true }));
        await store.commit([insert(BOOKS, 1, { a: 1 })]);
        store = await opened.reopen();
        await ensure(index('a', { a: 1 }, { unique: true }));
        expect(await failureOf(store.commit([insert(BOOKS, 2, { a: 1 })]))).toMatchObject({ fields: ['a'] });
      });

      it('refuses two arrays in one compound key, and in one sort', async () => {
        await ensure(index('ab', { a: 1, b: 1 }));
        const both = insert(BOOKS, 1, { a: [1, 2], b: [3, 4] });
        const failure = await failureOf(store.commit([insert(BOOKS, 2, { a: [1], b: 1 }), both]));
        expect(failure).toMatchObject({ reason: 'parallel-arrays', index: 1 });
        await ensure();
        await store.commit([both]);
        const sort = [
          ['a', 1],
          ['b', 1],
        ] as const;
        expect(await failureOf(store.find(BOOKS, query({ sort })))).toMatchObject({
          reason: 'parallel-arrays',
        });
      });

      it('builds while documents are read and written', async () => {
        const writes = Array.from({ length: 2000 }, (_, n) => insert(BOOKS, n, { n, pad: 'x'.repeat(200) }));
        await store.commit(writes);
        const ready = store.ensureIndexes(BOOKS, [index('n', { n: -1 }), index('pad', { pad: 1, n: 1 })]);
        for (let n = 0; n < 50; n += 1) {
          const document = { _id: idOf(n * 40), v: 2, n: -n, pad: 'y' };
          await store.commit([
            { kind: 'update', ns: BOOKS, id: document._id, v: 1, document, changed: ['n', 'v', 'pad'] },
            { kind: 'remove', ns: BOOKS, id: idOf(n * 40 + 1), v: 1 },
            insert(BOOKS, 5000 + n, { n: 5000 + n, pad: 'z' }),
          ]);
          expect(await ids({ limit: 1, sort: [['n', -1]] })).toEqual([5000 + n]);
        }
        await (await ready).built;
        expect(await ids({ filter: where('pad', { kind: 'eq', value: 'y' }), sort: [['n', -1]] })).toEqual(
          Array.from({ length: 50 }, (_, n) => n * 40),
        );
        expect(await store.count(BOOKS, where('n', { kind: 'gte', value: 5000 }))).toBe(50);
      });
    });

    describe('statistics', () => {
      it('measures documents and indexes', async () => {
        const { built } = await store.ensureIndexes(BOOKS, [index('n', { n: 1 })]);
        await built;
        await store.commit([1, 2, 3, 4].map((n) => insert(BOOKS, n, { n })));
        await store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(4), v: 1 }]);
        const stats = await store.stats(BOOKS);
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
        await store.commit([1, 2, 3].map((n) => insert(BOOKS, n, { n })));
        expect(await store.count(BOOKS, filter)).toBe(2);
        await store.commit([insert(BOOKS, 4, { n: 4 })]);
        expect(await store.count(BOOKS, filter)).toBe(3);
        await store.commit([{ kind: 'remove', ns: BOOKS, id: idOf(2), v: 1 }]);
        expect(await store.count(BOOKS, filter)).toBe(2);
      });
    });

    documentStoreDifferential(() => store);
  });
}
