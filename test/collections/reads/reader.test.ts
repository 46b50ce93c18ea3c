import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import { toStoreOptions } from '../../../src/collections/reads/read-page.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import {
  callerNamed,
  collectionOf,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  refusalOf,
} from '../library-service.ts';

const FIELDS = {
  title: { type: 'String' },
  pages: { type: 'Number' },
  hidden: { type: 'Boolean' },
  sequel: { type: 'Reference' },
};
const BOOKS: JsonObject = { fields: FIELDS, settings: { count: 2 } };

let library: Library;
let counted = 0;
let found = 0;
let beforePage: () => Promise<void>;
let beforeCount: () => void;

beforeEach(async () => {
  counted = 0;
  found = 0;
  beforePage = async () => {};
  beforeCount = () => {};
  const wrap = (store: DocumentStore): DocumentStore => ({
    ...store,
    find(ns, query, options) {
      found += 1;
      return store.find(ns, query, options);
    },
    async findText(ns, query, options) {
      found += 1;
      await beforePage();
      return store.findText(ns, query, options);
    },
    async findPage(ns, query, options) {
      found += 1;
      await beforePage();
      return store.findPage(ns, query, options);
    },
    findByIds(ns, ids, options) {
      found += 1;
      return store.findByIds(ns, ids, options);
    },
    commit: store.commit.bind(store),
    count(ns, filter, options) {
      counted += 1;
      beforeCount();
      return store.count(ns, filter, options);
    },
  });
  library = await openLibrary({ books: BOOKS }, { wrap, limits: { pageSize: 4 } });
  await library.create(
    'books',
    ['A', 'B', 'C', 'D', 'E'].map((title, n) => ({ title, pages: n })),
  );
});

afterEach(() => library.close());

async function list(request: ReadRequest) {
  const page = await library.documents.list(library.at('books'), request, contextOf());
  return { titles: documentsOf(page).map(({ title }) => title), metadata: page.metadata };
}

describe('lists', () => {
  test('go page by page, with exact counts', async () => {
    expect(await list({ page: 2, sort: 'title' })).toMatchObject({
      titles: ['C', 'D'],
      metadata: { page: 2, offset: 2, totalCount: 5, totalPages: 3, nextPage: 3, prevPage: 1 },
    });
    expect((await list({ page: 3, skip: 1 })).titles).toEqual([]);
    expect(await list({ page: 9 })).toMatchObject({ titles: [], metadata: { totalCount: 5, totalPages: 3 } });
  });

  test('with a filter count only where the page does not show the end', async () => {
    const filter = { pages: { $gte: 0 } };
    expect((await list({ filter, page: 3 })).metadata.totalCount).toBe(5);
    expect((await list({ filter, pageSize: 4, skip: 3 })).metadata.totalCount).toBe(5);
    expect((await list({ filter: { title: 'nope' } })).metadata).toMatchObject({
      totalCount: 0,
      totalPages: 0,
    });
    expect(counted).toBe(0);
    await list({ filter });
    expect(counted).toBe(1);
  });

  test('without a filter are counted while their page is read', async () => {
    const both = Promise.withResolvers<void>();
    beforePage = () => both.promise;
    beforeCount = () => both.resolve();
    expect((await list({})).metadata.totalCount).toBe(5);
    expect((await list({ page: 3 })).metadata.totalCount).toBe(5);
  });

  test('a count of 0, and one beyond the cap, is the cap', async () => {
    expect((await list({ pageSize: 0 })).titles).toHaveLength(4);
    expect((await list({ pageSize: 1000 })).metadata.limit).toBe(4);
  });

  test('pass the text of the store through', async () => {
    const ns = library.at('books').namespace;
    const text = `{"title":"Z",  "_id":"${'f'.repeat(24)}"}`;
    const document = { title: 'Z', _id: 'f'.repeat(24) };
    await library.store.commit([{ kind: 'insert', ns, document, text }]);
    const page = await library.documents.list(library.at('books'), { filter: { title: 'z' } }, contextOf());
    expect(page.text).toBe(text);
  });

  test('a mixture of limiters fails every read with a 400', async () => {
    library.put(
      collectionOf('books', { fields: FIELDS, settings: { fieldLimiters: { title: 1, pages: 0 } } }),
    );
    const refusal = await refusalOf(list({}));
    expect([refusal.status, refusal.items[0]?.title]).toEqual([400, 'Invalid Fields Parameter Provided']);
  });
});

describe('single documents', () => {
  const get = async (id: string, request: ReadRequest = {}) =>
    library.documents.get(library.at('books'), id, request, contextOf());

  test('carry their v, whatever is shown of them', async () => {
    const [book] = await library.all('books');
    const id = String(book!['_id']);
    await library.documents.updateById(library.at('books'), id, { pages: 9 }, contextOf(), {});
    expect((await get(id)).v).toBe(2);
    const shown = await get(id, { fields: { title: 1, _id: 0 } });
    expect([shown.v, shown.text]).toEqual([2, '{"title":"A"}']);
    expect((await get(id, { compose: true, fields: { v: 0 } })).v).toBe(2);
    expect((await get(id, { page: 3, skip: 2 })).count).toBe(1);
  });

  test('are read once, also composed, and so is each one that they refer to', async () => {
    const [a, b] = (await library.all('books')).map(({ _id }) => String(_id));
    const refer = (id: string, sequel: string) =>
      library.documents.updateById(library.at('books'), id, { sequel }, contextOf(), {});
    const readsOf = async (id: string) => {
      found = 0;
      const page = await get(id, { compose: 'all' });
      return { v: page.v, found, results: documentsOf(page) };
    };
    await refer(String(a), String(a));
    expect(await readsOf(String(a))).toMatchObject({ v: 2, found: 1, results: [{ sequel: a }] });
    await refer(String(a), String(b));
    await refer(String(b), String(a));
    const shown = { sequel: { title: 'B', sequel: a } };
    expect(await readsOf(String(a))).toMatchObject({ v: 3, found: 2, results: [shown] });
  });

  test('of others count as v 0, and a v inside of them is none', async () => {
    const ns = library.at('books').namespace;
    const [a, b] = ['d'.repeat(24), 'e'.repeat(24)];
    const inner = { title: `,"v":7,"_id":"${a}"}`, _id: a };
    const outer = { _id: b, pages: { v: 7, _id: b } };
    await library.store.commit([inner, outer].map((document) => ({ kind: 'insert', ns, document })));
    expect((await get(a)).v).toBe(0);
    expect((await get(b)).v).toBe(0);
  });

  test('are none when unknown, or when a filter does not match', async () => {
    const [book] = await library.all('books');
    const id = String(book!['_id']);
    expect(await get('f'.repeat(24))).toMatchObject({
      text: '',
      v: undefined,
      metadata: { totalCount: 0 },
    });
    expect(await get(id, { filter: { title: 'B' } })).toMatchObject({ text: '', count: 0, v: undefined });
    expect((await get(id, { filter: { title: 'a' } })).count).toBe(1);
  });
});

test('counts honour filters and the limit of a page', async () => {
  const request = { filter: { pages: { $gt: '2' } }, pageSize: 1 };
  expect(await library.documents.count(library.at('books'), request, contextOf())).toEqual({
    metadata: { limit: 1, totalCount: 2, totalPages: 2 },
  });
});

test('a document is found by its id in upper case, too', async () => {
  const [book] = await library.all('books');
  const id = String(book!['_id']).toUpperCase();
  const page = await library.documents.get(library.at('books'), id, {}, contextOf());
  expect(page.count).toBe(1);
});

test('a store gets the deadline of a read and nothing of its caller', () => {
  expect(toStoreOptions({ caller: callerNamed('ann'), deadline: 5 })).toEqual({ deadline: 5 });
});
