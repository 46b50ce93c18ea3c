import { afterEach, beforeEach, expect, test } from 'vitest';
import { contextOf, documentsOf, type Library, openLibrary, parse, refusalOf } from './library-service.ts';

const SOURCES = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      pages: { type: 'Number' },
      author: { type: 'Reference', settings: { collection: 'people' } },
    },
    settings: { count: 2 },
  },
  people: { fields: { name: { type: 'String' } } },
};

let library: Library;

beforeEach(async () => {
  library = await openLibrary(SOURCES);
});

afterEach(() => library.close());

test('a created document carries what the server adds, in order', async () => {
  const [book] = await library.create('books', { title: 'A', pages: 3 });
  expect(Object.keys(book!)).toEqual(['title', 'pages', 'apiVersion', 'createdAt', 'createdBy', 'v', '_id']);
  expect(book).toMatchObject({ title: 'A', pages: 3, apiVersion: '1.0', createdBy: 'ann', v: 1 });
});

test('the document service lists, gets and counts documents', async () => {
  await library.create('books', [{ title: 'A' }, { title: 'B' }, { title: 'C' }]);
  const books = library.at('books');
  const page = await library.documents.list(books, { sort: 'title', sortOrder: -1 }, contextOf());
  expect(documentsOf(page).map(({ title }) => title)).toEqual(['C', 'B']);
  expect(page.metadata).toEqual({
    limit: 2,
    page: 1,
    fields: {},
    sort: { title: -1 },
    offset: 0,
    totalCount: 3,
    totalPages: 2,
    nextPage: 2,
  });
  const id = String(documentsOf(page)[0]!['_id']);
  const single = await library.documents.get(books, id.toUpperCase(), {}, contextOf());
  expect(single.v).toBe(1);
  expect(documentsOf(single)).toEqual([documentsOf(page)[0]]);
  expect(single.metadata).toMatchObject({ totalCount: 1, totalPages: 1, offset: 0, page: 1 });
  const count = await library.documents.count(books, { filter: { title: 'a' } }, contextOf());
  expect(count.metadata).toEqual({ limit: 2, totalCount: 1, totalPages: 1 });
});

test('the document service updates and removes a document', async () => {
  const [book] = await library.create('books', { title: 'A', pages: 3 });
  const books = library.at('books');
  const id = String(book!['_id']);
  const page = await library.documents.updateById(books, id, { pages: 4 }, contextOf(), {});
  expect(parse(page.results[0]!)).toMatchObject({ title: 'A', pages: 4, v: 2, lastModifiedBy: 'ann' });
  expect(page.metadata).toEqual({ page: 1, offset: 0, totalCount: 1, totalPages: 1 });
  expect(await library.documents.removeById(books, id, contextOf(), { countRemaining: true })).toEqual({
    deleted: 1,
    totalCount: 0,
  });
  const gone = await refusalOf(library.documents.removeById(books, id, contextOf(), {}));
  expect(gone.code).toBe('DOCUMENT_NOT_FOUND');
});
