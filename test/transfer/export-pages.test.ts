import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors/errors.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import type { Filter } from '../../src/stores/filter.ts';
import { createPredicate } from '../../src/stores/matching/filter-predicate.ts';
import type { DocumentStore, FindQuery } from '../../src/stores/ports.ts';
import { readDocumentPages } from '../../src/transfer/export.ts';
import { BOOKS, idOf, insert } from '../contracts/store-cases.ts';
import { openTemporaryStore } from '../helpers/store/temporary-store.ts';

type Source = Pick<DocumentStore, 'find' | 'findText'>;

async function sizesAndIds(store: Source) {
  const sizes: number[] = [];
  const ids: unknown[] = [];
  for await (const texts of readDocumentPages(BOOKS, { store, now: Date.now, onUnreadable() {} })) {
    sizes.push(texts.length);
    for (const text of texts) ids.push(JSON.parse(text)._id);
  }
  return { sizes, ids };
}

const usesId = (filter: Filter) => filter.kind === 'field' && filter.path === '_id';

/**
 * A database that others wrote: documents in its own order of ids, compared within one type only. Those in `hidden` have
 * ids of another type, which only reads like the others: no comparison finds them.
 */
function foreignStore(documents: readonly JsonObject[], hidden: ReadonlySet<unknown> = new Set()) {
  const asked: FindQuery[] = [];
  const findText: Source['findText'] = async (_ns, query) => {
    asked.push(query);
    const visible = documents.filter(({ _id }) => !usesId(query.filter) || !hidden.has(_id));
    const found = visible.filter(createPredicate(query.filter));
    if (query.sort[0]?.[1] === -1) found.reverse();
    return found.slice(query.skip, query.skip + query.limit).map((document) => JSON.stringify(document));
  };
  const find: Source['find'] = async (ns, query) =>
    (await findText(ns, query)).map((text) => JSON.parse(text));
  return { store: { find, findText }, asked };
}

describe('document pages of a transfer', () => {
  it('gives nothing of an empty namespace', async () => {
    const { store } = await openTemporaryStore();
    expect(await sizesAndIds(store)).toEqual({ sizes: [], ids: [] });
  });

  it.each([1, 99, 100, 101, 1100, 2500])(
    'gives each of %i documents once, in the order of ids',
    async (n) => {
      const { store } = await openTemporaryStore();
      const numbers = Array.from({ length: n }, (_, at) => at * 7);
      await store.commit(numbers.toReversed().map((number) => insert(BOOKS, number, { number })));
      const { sizes, ids } = await sizesAndIds(store);
      expect(ids).toEqual(numbers.map(idOf));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1000);
    },
  );

  it('asks for few documents at a time where they are large', async () => {
    const { store } = await openTemporaryStore();
    const text = 'x'.repeat(60_000);
    await store.commit(Array.from({ length: 200 }, (_, number) => insert(BOOKS, number, { text })));
    const { sizes, ids } = await sizesAndIds(store);
    expect(ids).toHaveLength(200);
    expect(sizes).toEqual([100, 33, 33, 33, 1]);
  });

  it('asks again for fewer where the store finds it too much', async () => {
    const { store: inner } = await openTemporaryStore();
    await inner.commit(Array.from({ length: 30 }, (_, number) => insert(BOOKS, number, {})));
    const store: Source = {
      find: inner.find,
      async findText(ns, query) {
        if (query.limit > 3) throw new StoreError('too-much');
        return inner.findText(ns, query);
      },
    };
    expect((await sizesAndIds(store)).ids).toHaveLength(30);
    const never = async () => Promise.reject(new StoreError('too-much'));
    expect((await sizesAndIds({ find: inner.find, findText: never })).ids).toEqual([]);
  });

  it('begins each page behind the last id, so that those who come and go move no others', async () => {
    const { store } = await openTemporaryStore();
    await store.commit(Array.from({ length: 250 }, (_, number) => insert(BOOKS, number + 10, {})));
    const pages = readDocumentPages(BOOKS, { store, now: Date.now, onUnreadable() {} });
    const first = (await pages.next()).value ?? [];
    await store.commit([
      { kind: 'remove', ns: BOOKS, id: idOf(10), v: 1 },
      { kind: 'remove', ns: BOOKS, id: idOf(11), v: 1 },
      insert(BOOKS, 1, {}),
    ]);
    const rest: string[] = [];
    for await (const texts of pages) rest.push(...texts);
    expect(first).toHaveLength(100);
    expect(rest).toHaveLength(150);
  });

  it.each([
    ['numbers, text and ids', [1, 2.5, 'a', 'b', 'ffff', idOf(1), idOf(255)]],
    ['ids, then others', [idOf(1), idOf(2), true]],
    ['text only', ['B', 'a', 'ä', '😀']],
    ['objects', [{ a: 1 }, { a: 2 }, idOf(1)]],
  ])('gives every document of a database with other ids: %s', async (_, ids) => {
    const many = ids.flatMap((id) => [id]);
    const { store } = foreignStore(many.map((_id) => ({ _id })));
    expect((await sizesAndIds(store)).ids).toEqual(ids);
  });

  it.each([
    ['all', 0, 300],
    ['the first', 0, 150],
    ['the last', 150, 300],
  ])('is not deceived by ids of another type that read like ours: %s', async (_, from, to) => {
    const ids = Array.from({ length: 300 }, (__, n) => idOf(n));
    const { store } = foreignStore(
      ids.map((_id) => ({ _id })),
      new Set(ids.slice(from, to)),
    );
    expect((await sizesAndIds(store)).ids).toEqual(ids);
  });

  it('counts pages off there, and bounds the time of each', async () => {
    const numbers = Array.from({ length: 2300 }, (_, _id) => ({ _id }));
    const { store, asked } = foreignStore(numbers);
    const { sizes, ids } = await sizesAndIds(store);
    expect(ids).toEqual(numbers.map(({ _id }) => _id));
    expect(sizes).toEqual([100, 1000, 1000, 200]);
    expect(asked.slice(2).map(({ skip }) => skip)).toEqual([0, 100, 1100, 2100]);
  });

  it.each([
    ['by their ids', '00000000000000000000000'],
    ['by position', 'text-'],
  ])('goes on behind a document that is too large to be read, %s', async (_name, prefix) => {
    const numbers = [1, 2, 3, 4, 5].map((n) => ({ _id: `${prefix}${n}` }));
    const { store } = foreignStore(numbers);
    const findText: Source['findText'] = async (...args) => {
      const texts = await store.findText(...args);
      if (texts.some((text) => text.includes(`${prefix}3`))) throw new StoreError('too-much');
      return texts;
    };
    const left: unknown[] = [];
    const ids: unknown[] = [];
    const options = { store: { ...store, findText }, now: Date.now };
    for await (const texts of readDocumentPages(BOOKS, { ...options, onUnreadable: (id) => left.push(id) })) {
      ids.push(...texts.map((text) => JSON.parse(text)._id));
    }
    expect([ids, left]).toEqual([[1, 2, 4, 5].map((n) => `${prefix}${n}`), [`${prefix}3`]]);
  });

  it('hands the store a deadline', async () => {
    const deadlines: unknown[] = [];
    const findText: Source['findText'] = async (_ns, _query, options) => {
      deadlines.push(options?.deadline);
      return [];
    };
    const find: Source['find'] = async () => [];
    for await (const _ of readDocumentPages(BOOKS, {
      store: { find, findText },
      now: () => 1000,
      onUnreadable() {},
    }))
      throw new Error('a page');
    expect(deadlines).toEqual([121_000]);
  });
});
