import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import {
  collectionOf,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  refusalOf,
} from '../library-service.ts';

const BOOKS = {
  fields: { title: { type: 'String' }, pages: { type: 'Number' } },
  settings: { storeRevisions: true },
};
const SOURCES = {
  books: BOOKS,
  notes: { fields: { text: {} } },
  drafts: {
    fields: { title: {}, published: { type: 'Boolean' } },
    settings: { storeRevisions: true, revisionCollection: 'old', defaultFilters: { published: true } },
  },
};

let library: Library;
let id: string;

beforeEach(async () => {
  library = await openLibrary(SOURCES);
  const [book] = await library.create('books', { title: 'A', pages: 1 });
  id = String(book!['_id']);
  await update('books', id, { title: 'B' });
  await update('books', id, { title: 'C' });
});

afterEach(() => library.close());

const update = (name: string, of: string, fields: JsonObject) =>
  library.documents.updateById(library.at(name), of, fields, contextOf(), {});

const remove = (name: string, of: string) =>
  library.documents.removeById(library.at(name), of, contextOf(), {});

async function history(name: string, of: string, request: ReadRequest = {}) {
  const page = await library.documents.history(library.at(name), of, request, contextOf());
  return { ...page, results: documentsOf(page) };
}

async function withHistory(request: ReadRequest) {
  const page = await library.documents.list(
    library.at('books'),
    { includeHistory: true, ...request },
    contextOf(),
  );
  return documentsOf(page).map(({ history }) => history as JsonObject[]);
}

test('every state is kept as it was written, with the revisions before it', async () => {
  const [book] = await library.all('books');
  const revisions = await library.all('booksHistory');
  const ids = revisions.map(({ _id }) => _id);
  expect(book).toMatchObject({ title: 'C', v: 3, history: ids });
  expect(revisions).toMatchObject([
    { title: 'A', pages: 1, v: 1, action: 'create', originalDocumentId: id },
    { title: 'B', pages: 1, v: 2, action: 'update', originalDocumentId: id },
    { title: 'C', pages: 1, v: 3, action: 'update', originalDocumentId: id },
  ]);
  for (const revision of revisions) expect(revision).not.toHaveProperty('history');
  const shown = (await history('books', id)).results;
  expect(shown.map(({ history: before }) => before)).toEqual([[], ids.slice(0, 1), ids.slice(0, 2)]);
});

test('without revisions there is no history', async () => {
  const [note] = await library.create('notes', { text: 'x' });
  expect(note).not.toHaveProperty('history');
  const shown = await library.documents.list(library.at('notes'), { includeHistory: true }, contextOf());
  expect(documentsOf(shown)[0]!['history']).toEqual([]);
  expect((await history('notes', String(note!['_id']))).results).toEqual([]);
});

describe('includeHistory', () => {
  test('puts the revisions in the place of their ids, oldest first', async () => {
    expect((await withHistory({}))[0]!.map(({ title }) => title)).toEqual(['A', 'B', 'C']);
  });

  test('filters them, also by what only revisions have', async () => {
    const of = async (historyFilters: JsonObject) =>
      (await withHistory({ historyFilters }))[0]!.map(({ title }) => title);
    expect(await of({ v: { $gte: 2 } })).toEqual(['B', 'C']);
    expect(await of({ action: 'create' })).toEqual(['A']);
    expect(await of({ originalDocumentId: id.toUpperCase(), title: 'b' })).toEqual(['B']);
    expect((await refusalOf(of({ nope: 1 }))).items[0]?.field).toBe('nope');
  });

  test('shows the chosen fields of both', async () => {
    const page = await library.documents.list(
      library.at('books'),
      { includeHistory: true, fields: { title: 1, _id: 0 } },
      contextOf(),
    );
    expect(documentsOf(page)[0]).toEqual({
      title: 'C',
      history: [{ title: 'A' }, { title: 'B' }, { title: 'C' }],
    });
  });

  test('beyond the bound ids stay', async () => {
    await library.close();
    library = await openLibrary(SOURCES, { limits: { composeReferences: 1 } });
    const [book] = await library.create('books', { title: 'A' });
    await update('books', String(book!['_id']), { title: 'B' });
    expect((await withHistory({}))[0]).toMatchObject([{ title: 'A' }, expect.any(String)]);
  });
});

describe('history', () => {
  test('lists the revisions, oldest first, page by page', async () => {
    const { results, metadata } = await history('books', id, { pageSize: 2 });
    expect(results.map(({ title, v, action }) => [title, v, action])).toEqual([
      ['A', 1, 'create'],
      ['B', 2, 'update'],
    ]);
    expect(metadata).toMatchObject({ totalCount: 3, totalPages: 2, nextPage: 2, sort: { v: 1 } });
    expect((await history('books', id, { pageSize: 2, page: 2 })).results).toMatchObject([{ title: 'C' }]);
    expect((await history('books', id, { filter: { title: 'b' } })).results).toMatchObject([{ v: 2 }]);
    expect((await history('books', id, { fields: { v: 1, _id: 0 } })).results).toEqual([
      { v: 1 },
      { v: 2 },
      { v: 3 },
    ]);
  });

  test('answers for a document that was deleted, and keeps its last state', async () => {
    await remove('books', id);
    const { results } = await history('books', id);
    expect(results.at(-1)).toMatchObject({ title: 'C', v: 3, action: 'delete', originalDocumentId: id });
    expect(results.at(-1)!['history']).toHaveLength(3);
    expect(results).toHaveLength(4);
  });

  test('is 404 for a document that never was', async () => {
    expect((await refusalOf(history('books', 'f'.repeat(24)))).code).toBe('DOCUMENT_NOT_FOUND');
    expect((await refusalOf(history('notes', 'f'.repeat(24)))).code).toBe('DOCUMENT_NOT_FOUND');
  });

  test('does not show what the default filters hide', async () => {
    const [shown, hidden] = await library.create('drafts', [
      { title: 'A', published: true },
      { title: 'B', published: false },
    ]);
    expect((await history('drafts', String(shown!['_id']))).results).toHaveLength(1);
    expect((await refusalOf(history('drafts', String(hidden!['_id'])))).code).toBe('DOCUMENT_NOT_FOUND');
    await remove('drafts', String(hidden!['_id']));
    expect((await refusalOf(history('drafts', String(hidden!['_id'])))).code).toBe('DOCUMENT_NOT_FOUND');
    expect(await library.all('old')).toHaveLength(3);
  });
});

describe('under limiters that include', () => {
  const limited = (fieldLimiters: JsonObject) =>
    library.put(collectionOf('books', { ...BOOKS, settings: { storeRevisions: true, fieldLimiters } }));

  test('revisions show their `v` and `action` all the same', async () => {
    limited({ title: 1 });
    const shown = (await history('books', id)).results;
    expect(shown.map(({ _id, ...rest }) => rest)).toEqual([
      { title: 'A', v: 1, action: 'create' },
      { title: 'B', v: 2, action: 'update' },
      { title: 'C', v: 3, action: 'update' },
    ]);
    expect(await withHistory({})).toMatchObject([[{ v: 1, action: 'create' }, { v: 2 }, { v: 3 }]]);
    limited({ _id: 1 });
    expect(Object.keys((await history('books', id)).results[0]!)).toEqual(['action', 'v', '_id']);
  });

  test('those that exclude hold as they are, and contradictory ones fail', async () => {
    limited({ v: 0, _id: 1 });
    expect((await history('books', id)).results[0]).not.toHaveProperty('v');
    limited({ title: 1, pages: 0 });
    expect((await refusalOf(history('books', id))).code).toBe('PARAMETER_INVALID');
  });
});
