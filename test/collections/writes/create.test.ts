import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { Json } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { callerNamed, contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const SOURCES = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      isbn: { type: 'String' },
      state: { type: 'String', default: 'new' },
      sequel: { type: 'Reference' },
    },
    settings: { index: [{ keys: { isbn: 1 }, options: { unique: true, sparse: true } }] },
  },
};

let library: Library;

beforeEach(async () => {
  library = await openLibrary(SOURCES, { limits: { batch: 50 } });
});

afterEach(() => library.close());

test('a create applies defaults, strips internals, and takes anonymous callers', async () => {
  const body = {
    title: 'A',
    _id: 'x',
    v: 9,
    createdBy: 'mallory',
    history: [1],
    composed: { a: 1 },
    createdAt: 1,
  };
  const [book] = await library.create('books', body, contextOf(callerNamed(null)));
  expect(book).toMatchObject({ title: 'A', state: 'new', v: 1, createdBy: null });
  expect(book!['_id']).toMatch(/^[0-9a-f]{24}$/);
  expect(book!['createdAt']).toBeGreaterThan(1000);
  expect(book).not.toHaveProperty('history');
});

test('a batch keeps its order, and its ids grow', async () => {
  const titles = Array.from({ length: 50 }, (_, n) => `T${n}`);
  const books = await library.create(
    'books',
    titles.map((title) => ({ title })),
  );
  expect(books.map(({ title }) => title)).toEqual(titles);
  const ids = books.map(({ _id }) => String(_id));
  expect(ids).toEqual([...ids].sort());
});

test.each<[string, Json, unknown]>([
  ['a missing field', { isbn: '1' }, [{ field: 'title', code: 'ERROR_REQUIRED' }]],
  ['an unknown field', { title: 'A', nope: 1 }, [{ field: 'nope', code: 'ERROR_NOT_IN_SCHEMA' }]],
  [
    'a wrong one in a batch',
    [{ title: 'A' }, { title: 5 }, {}],
    [
      { index: 1, field: 'title' },
      { index: 2, field: 'title' },
    ],
  ],
  [
    'two of a unique field',
    [
      { title: 'A', isbn: '1' },
      { title: 'B', isbn: '1' },
    ],
    [{ index: 1, field: 'isbn', code: 'ERROR_UNIQUE' }],
  ],
])('%s is refused and nothing is stored', async (_name, body, items) => {
  const refusal = await refusalOf(library.create('books', body));
  expect(refusal.status).toBe(400);
  expect(refusal.items).toMatchObject(items as object[]);
  expect(await library.all('books')).toEqual([]);
});

test('a key __proto__ is refused by name', async () => {
  const refusal = await refusalOf(library.create('books', JSON.parse('{"title":"A","__proto__":{"x":1}}')));
  expect(refusal.items).toMatchObject([{ field: '__proto__' }]);
});

test('a create that loses a race is planned again', async () => {
  const attempts: number[] = [];
  const wrap = (store: DocumentStore): DocumentStore => ({
    ...store,
    commit: async (writes, options) => {
      attempts.push(writes.length);
      if (attempts.length < 3) throw new StoreError('conflict');
      await store.commit(writes, options);
    },
  });
  const contested = await openLibrary(SOURCES, { wrap });
  onTestFinished(() => contested.close());
  const [book] = await contested.create('books', { title: 'A' });
  expect(attempts).toEqual([1, 1, 1]);
  expect(await contested.all('books')).toEqual([book]);
});

test('issues of a document and of its sub-documents are reported together', async () => {
  const { items } = await refusalOf(library.create('books', { title: 5, sequel: { title: 6 } }));
  expect(items.map(({ field }) => field)).toEqual(['title', 'sequel.title']);
});

test('the issues of a document that is too large are told, with sub-documents as without', async () => {
  const large = { title: 'x'.repeat(17 * 1024 * 1024) };
  const { code } = await refusalOf(library.create('books', { ...large, sequel: { title: 'B' } }));
  expect(code).toBe('PAYLOAD_TOO_LARGE');
  for (const sequel of [undefined, { title: 'B' }]) {
    const body = { ...large, isbn: 5, ...(sequel && { sequel }) };
    const refusal = await refusalOf(library.create('books', [{ title: 'A' }, body]));
    expect(refusal.code).toBe('DOCUMENT_INVALID');
    expect(refusal.items).toMatchObject([{ index: 1, field: 'isbn' }]);
  }
  expect(await library.all('books')).toEqual([]);
});

test('empty and endless lists are refused', async () => {
  expect((await refusalOf(library.create('books', []))).status).toBe(400);
  const many = Array.from({ length: 51 }, () => ({ title: 'A' }));
  expect((await refusalOf(library.create('books', many))).code).toBe('WRITE_TOO_LARGE');
  const nested = Array.from({ length: 6 }, () => ({ title: 'A', sequel: many.slice(0, 10) }));
  expect((await refusalOf(library.create('books', nested))).code).toBe('WRITE_TOO_LARGE');
});

test('a create answers with ids unless composition is asked for', async () => {
  const [first] = await library.create('books', { title: 'A' });
  const id = String(first!['_id']);
  const answer = async (compose?: boolean) => {
    const body = { title: 'B', sequel: id };
    const { results } = await library.documents.create(library.at('books'), body, contextOf(), { compose });
    return parse(results[0]!)['sequel'];
  };
  expect(await answer()).toBe(id);
  expect(await answer(false)).toBe(id);
  expect(await answer(true)).toEqual(first);
});
