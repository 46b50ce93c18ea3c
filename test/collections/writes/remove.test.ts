import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Json } from '../../../src/lib/json/json.ts';
import type { DocumentStore } from '../../../src/stores/ports.ts';
import { contextOf, type Library, openLibrary, refusalOf } from '../library-service.ts';

const FIELDS = { title: { type: 'String' }, pages: { type: 'Number' } };
const SOURCES = { books: { fields: FIELDS }, notes: { fields: FIELDS, settings: { storeRevisions: true } } };

let library: Library;
let ids: readonly string[];

beforeEach(async () => {
  library = await openLibrary(SOURCES, { limits: { writeMatches: 4 } });
  const books = await library.create(
    'books',
    [1, 2, 3, 4].map((pages) => ({ title: 'A', pages })),
  );
  ids = books.map(({ _id }) => String(_id));
});

afterEach(() => library.close());

const removeAll = (body: Json, name = 'books') =>
  library.documents.removeByQuery(library.at(name), body, contextOf(), { countRemaining: true });
const remove = (id: string, options = {}) =>
  library.documents.removeById(library.at('books'), id, contextOf(), { countRemaining: true, ...options });

test('a removal by id removes one document, once', async () => {
  expect(await remove(ids[0]!.toUpperCase())).toEqual({ deleted: 1, totalCount: 3 });
  expect((await refusalOf(remove(ids[0]!))).status).toBe(404);
});

test('a removal of documents counts what is left only when asked', async () => {
  expect(await remove(ids[0]!, { countRemaining: false })).toEqual({ deleted: 1, totalCount: undefined });
});

test('a removal by id fails in another state than `If-Match` expects', async () => {
  expect((await refusalOf(remove(ids[0]!, { ifMatch: () => false }))).status).toBe(412);
  expect(await library.all('books')).toHaveLength(4);
});

test('of two removals at the same time one succeeds', async () => {
  const both = await Promise.allSettled([remove(ids[0]!), remove(ids[0]!)]);
  expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('by query: all that match, or nothing when too many do', async () => {
  expect(await removeAll({ query: { title: 'a', pages: { $gt: 2 } } })).toEqual({
    deleted: 2,
    totalCount: 2,
  });
  expect(await removeAll({ query: { title: 'nope' } })).toEqual({ deleted: 0, totalCount: 2 });
  await library.create('books', [{}, {}, {}]);
  const refusal = await refusalOf(removeAll({ query: {}, all: true }));
  expect([refusal.code, refusal.message]).toEqual(['WRITE_TOO_LARGE', expect.stringContaining('matches 5 ')]);
  expect(await library.all('books')).toHaveLength(5);
});

test.each([[null], [[]], [{}], [{ query: null }], [{ query: [] }], [{ query: { $where: '1' } }]])(
  'a removal with the body %j is rejected',
  async (body) => {
    expect((await refusalOf(removeAll(body as Json))).status).toBe(400);
    expect(await library.all('books')).toHaveLength(4);
  },
);

test('a query without a match commits nothing, neither a removal nor an update', async () => {
  const commits: unknown[] = [];
  const wrap = (store: DocumentStore): DocumentStore => ({
    ...store,
    commit: async (writes) => void commits.push(writes),
  });
  const idle = await openLibrary(SOURCES, { wrap });
  onTestFinished(() => idle.close());
  const books = idle.at('books');
  const query = { title: 'nope' };
  expect(await idle.documents.removeByQuery(books, { query }, contextOf(), {})).toMatchObject({ deleted: 0 });
  const body = { query, update: { title: 'B' } };
  expect((await idle.documents.updateByQuery(books, body, contextOf(), {})).results).toEqual([]);
  expect(commits).toEqual([]);
});

test('an empty query leaves a warning that names the client, any other query does not', async () => {
  const lines: unknown[] = [];
  const log = { warn: (fields: object, message: string) => lines.push({ ...fields, message }) };
  const logged = await openLibrary(SOURCES, { log });
  onTestFinished(() => logged.close());
  await logged.create('books', [{ title: 'A' }, { title: 'B' }]);
  const books = logged.at('books');
  const context = { ...contextOf(), origin: { requestId: 'r1', client: null } };
  await logged.documents.removeByQuery(books, { query: { title: 'A' } }, context, {});
  expect(lines).toEqual([]);
  await logged.documents.removeByQuery(books, { query: {}, all: true }, context, {});
  const message = 'every document of a collection was deleted';
  expect(lines).toEqual([{ requestId: 'r1', by: 'ann', path: '/1.0/library/books', deleted: 1, message }]);
});

test('last states stay behind where revisions are kept', async () => {
  await library.create('notes', [{ title: 'A' }, { title: 'B' }]);
  await removeAll({ query: {}, all: true }, 'notes');
  const kept = await library.all('notesHistory');
  expect(kept.map(({ title, action }) => [title, action])).toEqual([
    ['A', 'create'],
    ['B', 'create'],
    ['A', 'delete'],
    ['B', 'delete'],
  ]);
});
