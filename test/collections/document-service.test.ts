import { afterEach, beforeEach, describe, expect, it, onTestFinished, test } from 'vitest';
import {
  callerNamed,
  collectionOf,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  parse,
  refusalOf,
} from './library-service.ts';

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

describe('a write whose specification is replaced while it runs', () => {
  /** Opens a library in which `between` happens whenever a write has read its documents. */
  async function openChanging() {
    let between = () => {};
    const own = await openLibrary(SOURCES, {
      wrap: (store) => ({
        ...store,
        async findText(...args) {
          const found = await store.findText(...args);
          between();
          return found;
        },
      }),
    });
    onTestFinished(() => own.close());
    const [book] = await own.create('books', { title: 'A' });
    const onRead = (work: () => void) => {
      between = work;
    };
    const update = (context = contextOf()) =>
      own.documents.updateById(own.at('books'), String(book!['_id']), { pages: 4 }, context, {});
    return { own, update, onRead };
  }

  it('is made by the new one', async () => {
    const { own, update, onRead } = await openChanging();
    onRead(() => {
      onRead(() => {});
      const fields = { title: { type: 'String' }, pages: { type: 'String' } };
      own.put(collectionOf('books', { fields }));
    });
    expect((await refusalOf(update())).code).toBe('DOCUMENT_INVALID');
  });

  it('is rejected where the new one permits the caller no such write', async () => {
    const { own, update, onRead } = await openChanging();
    const first = own.at('books');
    const [may, mayNot] = [callerNamed('ann'), callerNamed('ann', ['books', 'update'])];
    const access: typeof may.access = (collection) =>
      (collection === first ? may : mayNot).access(collection);
    onRead(() => own.put(collectionOf('books', SOURCES.books)));
    expect((await refusalOf(update(contextOf({ ...may, access })))).code).toBe('NOT_PERMITTED');
  });

  it('is rejected where the specification is gone', async () => {
    const { own, update, onRead } = await openChanging();
    onRead(() => own.remove(own.at('books')));
    expect((await refusalOf(update())).code).toBe('NOT_FOUND');
  });

  it('is given up where that happens again and again', async () => {
    const { own, update, onRead } = await openChanging();
    onRead(() => own.put(collectionOf('books', SOURCES.books)));
    expect((await refusalOf(update())).code).toBe('STORE_BUSY');
    expect(await own.all('books')).toMatchObject([{ title: 'A', v: 1 }]);
  });
});
