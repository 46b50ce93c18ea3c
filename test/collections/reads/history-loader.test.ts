import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCollectionRegistry } from '../../../src/collections/model/collection-registry.ts';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import { HISTORY_BLOCK_SIZE } from '../../../src/collections/model/stored-document.ts';
import { createHistoryLoader } from '../../../src/collections/reads/history-loader.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import type { StoredDocument, Write } from '../../../src/stores/ports.ts';
import { contextOf, documentsOf, type Library, openLibrary, parse } from '../library-service.ts';

const SOURCES = {
  books: { fields: { title: {} }, settings: { storeRevisions: true } },
  shelves: { fields: { book: { type: 'Reference', settings: { collection: 'books' } } } },
};

let library: Library;
let id: string;

beforeEach(async () => {
  library = await openLibrary(SOURCES);
  const [book] = await library.create('books', { title: 'A' });
  id = String(book!['_id']);
});

afterEach(() => library.close());

async function put(times: number) {
  let last: JsonObject = {};
  for (let n = 0; n < times; n += 1) {
    const page = await library.documents.updateById(library.at('books'), id, {}, contextOf(), {});
    last = parse(page.results[0]!);
  }
  return last;
}

async function list(request: ReadRequest = {}, name = 'books') {
  const page = await library.documents.list(library.at(name), request, contextOf());
  return documentsOf(page);
}

const idsOf = async (name: string) => (await library.all(name)).map(({ _id }) => _id);

function putStored(document: StoredDocument, ns = library.at('books').namespace) {
  const write: Write = { kind: 'insert', ns, document };
  return library.store.commit([write]);
}

describe('a document of many updates', () => {
  test('shows all ids wherever it is shown, and stores a bounded number', async () => {
    const updated = await put(4 * HISTORY_BLOCK_SIZE + 30);
    const ids = await idsOf('booksHistory');
    expect(ids).toHaveLength(4 * HISTORY_BLOCK_SIZE + 31);
    expect(updated).toMatchObject({ v: ids.length, history: ids });
    expect(await list()).toMatchObject([{ history: ids }]);
    expect(await list({ fields: { history: 1, _id: 0 } })).toEqual([{ history: ids }]);
    const one = await library.documents.get(library.at('books'), id, {}, contextOf());
    expect([documentsOf(one)[0]!['history'], one.v]).toEqual([ids, ids.length]);
    await library.create('shelves', { book: id });
    expect(await list({ compose: true }, 'shelves')).toMatchObject([{ book: { history: ids } }]);
    const [stored] = await library.all('books');
    expect((stored!['history'] as string[]).length).toBeLessThanOrEqual(2 * HISTORY_BLOCK_SIZE);
  });

  test('costs the same for each of them', async () => {
    const space = { ...library.at('books').namespace, collection: 'booksHistory' };
    await put(150);
    const early = await library.store.stats(space);
    await put(300);
    const late = await library.store.stats(space);
    const each = (late.size - early.size) / 300;
    expect(each).toBeLessThan(1.3 * (early.size / early.count));
    expect(each).toBeLessThan(400);
  });

  test('is complete after revisions were off for a while', async () => {
    await put(250);
    const kept = library.at('books');
    library.put({ ...kept, settings: { ...kept.settings, storeRevisions: false } });
    const before = (await put(200))['history'];
    library.put(kept);
    const after = (await put(250))['history'];
    const ids = await idsOf('booksHistory');
    expect(before).toEqual(ids.slice(0, 251));
    expect(after).toEqual(ids);
    library.put({ ...kept, settings: { ...kept.settings, storeRevisions: false } });
    expect((await list())[0]!['history']).toEqual(ids);
  });

  test('shows the first ids with each revision', async () => {
    await put(2 * HISTORY_BLOCK_SIZE + 5);
    const ids = await idsOf('booksHistory');
    const page = await library.documents.history(
      library.at('books'),
      id,
      { page: 5, pageSize: 50 },
      contextOf(),
    );
    expect(documentsOf(page).map(({ history }) => history)).toEqual(
      documentsOf(page).map(() => ids.slice(0, HISTORY_BLOCK_SIZE)),
    );
    const [{ history }] = (await list({ includeHistory: true })) as unknown as [{ history: JsonObject[] }];
    expect(history.map(({ _id }) => _id)).toEqual(ids);
    expect([history[3]!['history'], history.at(-1)!['history']]).toEqual([
      ids.slice(0, 3),
      ids.slice(0, HISTORY_BLOCK_SIZE),
    ]);
    await library.documents.removeById(library.at('books'), id, contextOf(), {});
    const gone = await library.documents.history(library.at('books'), id, { pageSize: 3 }, contextOf());
    expect(documentsOf(gone).map(({ history }) => history)).toEqual([[], ids.slice(0, 1), ids.slice(0, 2)]);
  });
});

describe('documents of the older server', () => {
  const hex = (n: number) => n.toString(16).padStart(24, '0');

  test('keep the ids that they hold, and take further ones', async () => {
    const all = Array.from({ length: 450 }, (_, n) => hex(n + 1));
    const old = hex(0xabc);
    await putStored({ title: 'Old', history: all, v: 450, _id: old });
    const space = { ...library.at('books').namespace, collection: 'booksHistory' };
    for (const at of [0, 99, 100, 199, 399, 449]) {
      const history = all.slice(0, at);
      await putStored(
        { history, originalDocumentId: old, action: 'update', v: at + 1, _id: all[at]! },
        space,
      );
    }
    const shown = async () => (await list({ filter: { _id: old } }))[0]!['history'] as string[];
    expect(await shown()).toEqual(all);
    id = old;
    const { history } = await put(160);
    expect((history as string[]).slice(0, 450)).toEqual(all);
    expect(history).toHaveLength(610);
    expect(new Set(history as string[]).size).toBe(610);
    const [stored] = await library.store.find(library.at('books').namespace, {
      filter: { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: old }] },
      sort: [],
      skip: 0,
      limit: 1,
    });
    expect((stored!['history'] as string[]).length).toBeLessThanOrEqual(2 * HISTORY_BLOCK_SIZE);
  });

  test('whose revisions are lost show what they hold', async () => {
    const all = Array.from({ length: 130 }, (_, n) => hex(n + 1));
    await putStored({ title: 'Old', history: all, v: 3, _id: hex(0xabc) });
    expect((await list({ filter: { title: 'old' } }))[0]!['history']).toEqual(all);
  });
});

test('data that lead around in a circle are left as they are', async () => {
  const [here, there] = ['a'.repeat(24), 'b'.repeat(24)];
  const space = { ...library.at('books').namespace, collection: 'booksHistory' };
  await putStored({ history: [there], v: 200, _id: here }, space);
  await putStored({ history: [here], v: 100, _id: there }, space);
  const first = Array.from({ length: HISTORY_BLOCK_SIZE }, (_, n) => n.toString(16).padStart(24, '0'));
  await putStored({ title: 'Odd', history: [...first, here], v: 300, _id: 'c'.repeat(24) });
  const [shown] = await list({ filter: { title: 'odd' } });
  expect(shown!['history']).toEqual([...first, here, there, here]);
});

test('an answer gathers a bounded number of ids, and with few queries', async () => {
  let queries = 0;
  const hex = (v: number) => v.toString(16).padStart(24, '0');
  // Each block of this endless chain begins with the id of the revision a hundred states earlier.
  const revisionAt = (v: number) => ({
    history: Array.from({ length: HISTORY_BLOCK_SIZE }, (_, n) => hex(v - HISTORY_BLOCK_SIZE + n)),
    v,
    _id: hex(v),
  });
  const histories = createHistoryLoader({
    registry: createCollectionRegistry(),
    store: {
      async find(_ns, { filter }) {
        queries += 1;
        const wanted = filter.kind === 'and' ? filter.filters[0]! : filter;
        const one = wanted.kind === 'and' ? wanted.filters[1]! : wanted;
        const [test] = one.kind === 'field' ? one.tests : [];
        const values = test?.kind === 'in' ? test.values : [];
        return values.map((value) =>
          revisionAt(typeof value === 'string' ? Number.parseInt(value, 16) : Number(value)),
        );
      },
    },
  });
  const latest = 1_000_000;
  const history = [
    ...Array.from({ length: HISTORY_BLOCK_SIZE }, (_, n) => hex(n)),
    hex(latest),
    hex(latest + 1),
  ];
  const text = JSON.stringify({ history, v: latest + 2, _id: id });
  const [first, second] = await histories.completeHistories(library.at('books'), [text, text], contextOf());
  const ids = parse(first!)['history'] as string[];
  expect([ids.length, new Set(ids).size]).toEqual([100_102, 100_102]);
  expect(ids.slice(HISTORY_BLOCK_SIZE)).toEqual(
    Array.from({ length: 100_002 }, (_, n) => hex(latest - 100_000 + n)),
  );
  expect(second).toBe(text);
  expect(queries).toBeLessThan(15);
});
