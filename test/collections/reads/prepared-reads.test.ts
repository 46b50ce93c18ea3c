// What is remembered of a request, and what must not be: the specification, the data and the caller may change.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import { HISTORY_BLOCK_SIZE } from '../../../src/collections/model/stored-document.ts';
import type { FindQuery } from '../../../src/stores/ports.ts';
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
  title: {},
  pages: { type: 'Number' },
  author: { type: 'Reference', settings: { collection: 'people' } },
};

let library: Library;
let queries: FindQuery[];

beforeEach(async () => {
  queries = [];
  library = await openLibrary(
    { books: { fields: FIELDS }, people: { fields: { name: {} } } },
    {
      wrap: (store) => ({
        ...store,
        findPage(ns, query, options) {
          queries.push(query);
          return store.findPage(ns, query, options);
        },
      }),
    },
  );
  const [ann] = await library.create('people', [{ name: 'Ann' }, { name: 'Bob' }]);
  await library.create(
    'books',
    ['A', 'B', 'C'].map((title, pages) => ({ title, pages, ...(title === 'A' && { author: ann!['_id'] }) })),
  );
  queries = [];
});

afterEach(() => library.close());

async function titles(request: ReadRequest, caller = callerNamed('ann')) {
  const page = await library.documents.list(library.at('books'), request, contextOf(caller));
  return documentsOf(page).map(({ title }) => title);
}

const put = (source: Parameters<typeof collectionOf>[1]) => library.put(collectionOf('books', source));

describe('the same request', () => {
  test('gives the store the same query, and is answered at once', async () => {
    const request = { filter: { pages: { $gte: 1 } }, sort: 'title', fields: { title: 1 } };
    expect(await titles(request)).toEqual(['B', 'C']);
    const again = library.documents.list(library.at('books'), request, contextOf());
    expect(again).toMatchObject({ count: 2 });
    expect(queries).toHaveLength(2);
    expect(queries[1]).toBe(queries[0]);
    expect(await titles({ ...request, filter: { pages: { $gte: 1 } } })).toEqual(['B', 'C']);
    expect(queries[2]).toBe(queries[0]);
  });

  test('with another filter, order or fields is another', async () => {
    const request = { filter: { pages: { $gte: 1 } }, sort: 'title', fields: { title: 1 } };
    expect(await titles(request)).toEqual(['B', 'C']);
    expect(await titles({ ...request, filter: { pages: { $gte: 2 } } })).toEqual(['C']);
    expect(await titles({ ...request, sortOrder: -1 })).toEqual(['C', 'B']);
    expect(await titles({ ...request, fields: { pages: 1 } })).toEqual([undefined, undefined]);
    expect(new Set(queries).size).toBe(4);
  });

  test('shows what was written in between', async () => {
    const request = { filter: { pages: { $gte: 1 } } };
    expect(await titles(request)).toEqual(['B', 'C']);
    await library.create('books', { title: 'D', pages: 9 });
    expect(await titles(request)).toEqual(['B', 'C', 'D']);
  });

  test('is answered the same after an index was added', async () => {
    const request = { filter: { pages: { $gte: 1 } }, sort: { pages: -1 } };
    expect(await titles(request)).toEqual(['C', 'B']);
    const { namespace, settings } = collectionOf('books', {
      fields: FIELDS,
      settings: { index: [{ keys: { pages: 1 } }] },
    });
    await (await library.store.ensureIndexes(namespace, settings.indexes)).built;
    await library.create('books', { title: 'D', pages: 9 });
    expect(await titles(request)).toEqual(['D', 'C', 'B']);
  });

  test('is prepared anew once the specification has changed', async () => {
    const request = { sort: 'pages' };
    expect(await titles(request)).toEqual(['A', 'B', 'C']);
    put({ fields: FIELDS, settings: { defaultFilters: { title: { $ne: 'B' } }, count: 1 } });
    expect(await titles(request)).toEqual(['A']);
    put({ fields: { title: {} }, settings: { sort: 'title', sortOrder: -1 } });
    expect(await titles(request)).toEqual(['C', 'B', 'A']);
    put({ fields: { title: {} }, settings: { fieldLimiters: { pages: 1 } } });
    expect(await titles(request)).toEqual([undefined, undefined, undefined]);
    const filtered = { filter: { pages: 1 } };
    expect((await refusalOf(titles(filtered))).code).toBe('FILTER_INVALID');
    put({ fields: FIELDS });
    expect(await titles(filtered)).toEqual(['B']);
  });

  test('of a read by id is prepared anew once the specification has changed', async () => {
    const request = {};
    const [first] = await library.all('books');
    const get = () => library.documents.get(library.at('books'), String(first!['_id']), request, contextOf());
    expect((await get()).count).toBe(1);
    put({ fields: FIELDS, settings: { defaultFilters: { title: 'B' } } });
    expect((await get()).count).toBe(0);
  });

  test.each([
    [{ 'author.name': 'Ann' }, ['A']],
    [{ author: { $elemMatch: { name: 'Ann' } } }, []],
    [{ 'author.name': { $all: [] } }, []],
  ])('never brings the filter %j of one caller to another', async (filter, expected) => {
    const request = { filter };
    expect(await titles(request)).toEqual(expected);
    const other = callerNamed('bob', ['people', 'read', 'history']);
    expect((await refusalOf(titles(request, other))).code).toBe('FILTER_INVALID');
    expect(await titles(request)).toEqual(expected);
  });

  test('looks referenced documents up each time', async () => {
    const request = { filter: { 'author.name': 'Ann' } };
    expect(await titles(request)).toEqual(['A']);
    const ann = (await library.all('people')).find(({ name }) => name === 'Ann');
    const people = library.at('people');
    await library.documents.updateById(people, String(ann!['_id']), { name: 'Eve' }, contextOf(), {});
    expect(await titles(request)).toEqual([]);
    expect(await titles({ filter: { 'author.name': 'Eve' } })).toEqual(['A']);
  });
});

describe('a plain page', () => {
  test('shows a long history wherever it stands in the page, also when revisions are no longer stored', async () => {
    const source = { fields: FIELDS, settings: { storeRevisions: true } };
    put(source);
    const books = library.at('books');
    const filler = 'x'.repeat(3 * HISTORY_BLOCK_SIZE * 27);
    await library.create('books', [
      { title: filler },
      { title: `"history":["${'"a","b",'.repeat(500)}` },
      { title: 'long' },
      { title: filler },
    ]);
    const { _id } = (await library.all('books')).find(({ title }) => title === 'long')!;
    for (let n = 0; n < 2 * HISTORY_BLOCK_SIZE + 5; n += 1) {
      await library.documents.updateById(books, String(_id), { pages: n }, contextOf(), {});
    }
    put({ fields: FIELDS });
    const page = await library.documents.list(library.at('books'), { sort: 'pages' }, contextOf());
    const shown = documentsOf(page).find(({ title }) => title === 'long');
    expect(shown?.['history']).toHaveLength(2 * HISTORY_BLOCK_SIZE + 6);
    expect(page.metadata.totalCount).toBe(7);
  });
});
