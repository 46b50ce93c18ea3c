import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const SOURCES = {
  books: {
    fields: {
      title: { type: 'String', required: true },
      isbn: { type: 'String' },
      pages: { type: 'Number' },
      data: { type: 'Mixed' },
      sequel: { type: 'Reference' },
    },
    settings: {
      storeRevisions: true,
      index: [{ keys: { isbn: 1 }, options: { unique: true, sparse: true } }],
    },
  },
};

let library: Library;
let id: string;

beforeEach(async () => {
  library = await openLibrary(SOURCES, { limits: { writeMatches: 30 } });
  const [book] = await library.create('books', { title: 'A', pages: 1 });
  id = String(book!['_id']);
});

afterEach(() => library.close());

const put = (body: Json, options = {}, of = id) =>
  library.documents.updateById(library.at('books'), of, body, contextOf(), options);

const putAll = (query: Json, update: Json) =>
  library.documents.updateByQuery(library.at('books'), { query, all: true, update }, contextOf(), {});

const stored = async () => (await library.all('books'))[0]!;

describe('by id', () => {
  test('sets the fields that are sent, null too, and leaves the others', async () => {
    await put({ data: null, pages: 2 });
    expect(await stored()).toMatchObject({ title: 'A', data: null, pages: 2, v: 2, lastModifiedBy: 'ann' });
    await put({});
    expect((await stored())['v']).toBe(3);
  });

  test('a fetched document can be sent back, and nothing of ours can be forged', async () => {
    const before = await stored();
    await put({ ...before, v: 77, createdBy: 'mallory', history: [], composed: { sequel: 'x' } });
    const after = await stored();
    expect(after).toMatchObject({ title: 'A', v: 2, createdBy: 'ann', createdAt: before['createdAt']! });
    expect(after['history']).toHaveLength(2);
  });

  test('takes the older bodies, and ids in upper case', async () => {
    await put({ update: { pages: 5 } });
    await put({ query: { _id: 'x' }, update: { title: 'B' } }, {}, id.toUpperCase());
    expect(await stored()).toMatchObject({ title: 'B', pages: 5, v: 3 });
  });

  test.each<[Json, object]>([
    [{ title: '' }, { field: 'title', code: 'ERROR_REQUIRED' }],
    [{ title: null }, { field: 'title' }],
    [{ pages: 'x' }, { field: 'pages' }],
    [{ 'data.x': 1 }, { field: 'data.x', code: 'ERROR_NOT_IN_SCHEMA' }],
    [{ sequel: 'x' }, { field: 'sequel', code: 'ERROR_INVALID_ID' }],
    [[], { message: 'The body must be a JSON object' }],
  ])('%j is refused and changes nothing', async (body, item) => {
    const refusal = await refusalOf(put(body));
    expect(refusal.status).toBe(400);
    expect(refusal.items).toMatchObject([item]);
    expect((await stored())['v']).toBe(1);
    expect(await library.all('booksHistory')).toHaveLength(1);
  });

  test('an unknown id is 404, whatever the body', async () => {
    expect((await refusalOf(put({ nope: 1 }, {}, 'f'.repeat(24)))).status).toBe(404);
  });

  test('a breach of a unique index names the field', async () => {
    await library.create('books', { title: 'B', isbn: '1' });
    const refusal = await refusalOf(put({ isbn: '1' }));
    expect(refusal.items).toEqual([{ field: 'isbn', message: 'must be unique', code: 'ERROR_UNIQUE' }]);
  });

  test('a precondition is held against the state that is replaced', async () => {
    expect((await refusalOf(put({ pages: 2 }, { ifMatch: (v: number) => v === 7 }))).status).toBe(412);
    const both = await Promise.allSettled(
      [2, 3].map((pages) => put({ pages }, { ifMatch: (v: number) => v === 1 })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await stored())['v']).toBe(2);
  });

  test('racing updates lose neither a count nor a revision nor a field', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, n) => put(n % 2 ? { pages: n } : { data: n })));
    const book = await stored();
    const revisions = await library.all('booksHistory');
    expect(book['v']).toBe(101);
    expect(book['history']).toEqual(revisions.map(({ _id }) => _id));
    expect(revisions.map(({ v }) => v)).toEqual(Array.from({ length: 101 }, (_, n) => n + 1));
  });

  test('updates by id and by query race without loss', async () => {
    await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? putAll({}, { pages: n }) : put({ data: n }))),
    );
    expect(await stored()).toMatchObject({ v: 11, history: { length: 11 } });
  });
});

describe('by query', () => {
  const many = (count: number) =>
    library.create(
      'books',
      Array.from({ length: count }, (_, n) => ({ title: `T${n}`, pages: n })),
    );

  test('updates all that match, in one commit, and answers with them', async () => {
    await many(5);
    const page = await putAll({ pages: { $gte: 3 } }, { data: 'x' });
    expect(page.results.map((text) => parse(text)['title'])).toEqual(['T3', 'T4']);
    expect(page.metadata).toEqual({ page: 1, offset: 0, totalCount: 2, totalPages: 1 });
    expect((await library.all('books')).map(({ v }) => v)).toEqual([1, 1, 1, 1, 2, 2]);
  });

  test('finds as a filter does, and no match is an empty list', async () => {
    expect((await putAll({ title: 'a' }, { pages: 9 })).results).toHaveLength(1);
    expect(await putAll({ title: 'nope' }, { pages: 9 })).toEqual({
      results: [],
      metadata: { page: 1, offset: 0, totalCount: 0, totalPages: 0 },
    });
  });

  test('more matches than allowed are counted, and left alone', async () => {
    await many(30);
    const refusal = await refusalOf(putAll({}, { pages: 7 }));
    expect([refusal.code, refusal.message]).toEqual([
      'WRITE_TOO_LARGE',
      expect.stringContaining('matches 31 '),
    ]);
    expect((await library.all('books')).every(({ v }) => v === 1)).toBe(true);
  });

  test('is all or nothing', async () => {
    await many(3);
    const refusal = await refusalOf(putAll({}, { isbn: 'same' }));
    expect(refusal.items).toMatchObject([{ field: 'isbn', code: 'ERROR_UNIQUE' }]);
    expect((await library.all('books')).every((book: JsonObject) => book['v'] === 1)).toBe(true);
    expect(await library.all('booksHistory')).toHaveLength(4);
  });

  test.each<[string, Json]>([
    ['query', { update: {} }],
    ['query', { query: 'x', update: {} }],
    ['update', { query: {}, all: true }],
    ['$where', { query: { $where: '1' }, update: {} }],
    ['nope', { query: { nope: 1 }, update: {} }],
    ['pages', { query: { title: 'nope' }, update: { pages: 'x' } }],
  ])('refuses a body by naming %s', async (field, body) => {
    const refusal = await refusalOf(
      library.documents.updateByQuery(library.at('books'), body, contextOf(), {}),
    );
    expect([refusal.status, refusal.items[0]?.field]).toEqual([400, field]);
  });
});
