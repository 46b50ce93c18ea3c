import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasReadHooks } from '../../../src/collections/reads/read-hooks.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks, type FakeHooks } from '../fake-hooks.ts';
import { collectionOf, contextOf, type Library, openLibrary, parse, refusalOf } from '../library-service.ts';

const FIELDS = { title: { type: 'String' }, secret: { type: 'String' } };
const SOURCES = {
  books: {
    fields: FIELDS,
    settings: { hooks: { beforeGet: ['before'], afterGet: ['after'] }, storeRevisions: true },
  },
  plain: { fields: FIELDS },
};

let library: Library;
let hooks: FakeHooks;
let acting: Record<string, Parameters<typeof createFakeHooks>[0][string]>;
let ids: string[];

beforeEach(async () => {
  acting = {};
  hooks = createFakeHooks(acting);
  library = await openLibrary(SOURCES, { hooks });
  const books = [
    { title: 'a', secret: 'x' },
    { title: 'b', secret: 'y' },
    { title: 'c', secret: 'z' },
  ];
  ids = (await library.create('books', books)).map(({ _id }) => String(_id));
});
afterEach(() => library.close());

const list = (request = {}) => library.documents.list(library.at('books'), request, contextOf());
const get = (id: string, request = {}) =>
  library.documents.get(library.at('books'), id, request, contextOf());
const count = (request = {}) => library.documents.count(library.at('books'), request, contextOf());
const history = (id: string) => library.documents.history(library.at('books'), id, {}, contextOf());
const titles = (page: { readonly results: readonly string[] }) =>
  page.results.map((text) => parse(text)['title']);
const onlyA: JsonObject = { filter: { title: 'a' } };

/** An `afterGet` that takes the secrets out. */
function hideSecrets(page: JsonObject): Json {
  const results = (page['results'] as JsonObject[]).map(({ secret, ...rest }) => rest);
  return { ...page, results };
}

describe('beforeGet', () => {
  test('sees what was asked and may ask something else', async () => {
    let seen: unknown;
    acting['before'] = (obj) => {
      seen = obj;
      return { filter: { title: { $ne: 'b' } }, options: { sort: 'title', sortOrder: -1, limit: 1 } };
    };
    const page = await list({ filter: { title: 'x' }, count: 7 });
    expect(seen).toEqual({ filter: { title: 'x' }, options: { limit: 7 } });
    expect(titles(page)).toEqual(['c']);
    expect(page.metadata).toMatchObject({ totalCount: 2, limit: 1 });
  });

  test('is held against the same rules as a client', async () => {
    acting['before'] = () => ({ filter: { $where: '1' } });
    expect((await refusalOf(list())).code).toBe('FILTER_INVALID');
    acting['before'] = () => ({ filter: 5 });
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
    acting['before'] = () => null;
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
  });

  test('narrows counts too', async () => {
    acting['before'] = () => onlyA;
    expect((await count()).metadata.totalCount).toBe(1);
  });

  test('sees the id of a read by id, and cannot lead to another document', async () => {
    let seen: unknown;
    acting['before'] = (obj) => {
      seen = obj['filter'];
      return undefined;
    };
    await get(ids[0]!, { filter: { title: 'a' } });
    expect(seen).toEqual({ title: 'a', _id: ids[0] });
    await get(ids[0]!, { filter: { _id: ids[1]! } });
    expect(seen).toEqual({ $and: [{ _id: ids[0] }, { _id: ids[1] }] });
    expect((await get(ids[0]!, { filter: { _id: ids[1]! } })).v).toBeUndefined();
    acting['before'] = () => ({ filter: { _id: ids[1]! } });
    expect((await get(ids[0]!)).v).toBeUndefined();
    acting['before'] = () => ({ filter: {} });
    expect(titles(await get(ids[0]!))).toEqual(['a']);
  });

  test('hides the history of what it hides', async () => {
    acting['before'] = () => onlyA;
    expect((await history(ids[0]!)).results).toHaveLength(1);
    expect((await refusalOf(history(ids[1]!))).code).toBe('DOCUMENT_NOT_FOUND');
  });
});

describe('afterGet', () => {
  test('may replace results and metadata', async () => {
    acting['after'] = (page) => ({ ...(hideSecrets(page) as JsonObject), metadata: { own: true } });
    const page = await list();
    expect(page.results.map(parse)).toMatchObject([{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    expect(page.results.join()).not.toContain('secret');
    expect(page.metadata).toEqual({ own: true });
  });

  test('stands before single documents and revisions', async () => {
    acting['after'] = hideSecrets;
    const one = await get(ids[0]!);
    expect(one.results.join()).not.toContain('secret');
    expect(one.v).toBe(1);
    expect((await history(ids[0]!)).results.join()).not.toContain('secret');
  });

  test('that leaves no document is a 404, and none was found is not its business', async () => {
    acting['after'] = (page) => ({ ...page, results: [] });
    expect((await get(ids[0]!)).v).toBeUndefined();
    expect((await get('a'.repeat(24))).results).toEqual([]);
    expect(hooks.ran).toEqual(['beforeGet before', 'afterGet after', 'beforeGet before']);
  });

  test.each<Json>([
    {},
    [],
    'x',
    { results: [] },
    { results: [1], metadata: {} },
    { results: {}, metadata: {} },
  ])('%j is no page', async (result) => {
    acting['after'] = () => result;
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
  });

  test('leaves the page as it is when it returns nothing', async () => {
    acting['after'] = () => undefined;
    expect(titles(await list())).toEqual(['a', 'b', 'c']);
  });
});

test('collections without hooks for reads are read as ever', async () => {
  const own = { hooks: { beforeCreate: ['x'] } };
  expect(hasReadHooks(collectionOf('a', { fields: FIELDS, settings: own }))).toBe(false);
  expect(hasReadHooks(library.at('books'))).toBe(true);
  await library.create('plain', { title: 'p' });
  expect(titles(await library.documents.list(library.at('plain'), {}, contextOf()))).toEqual(['p']);
  expect(hooks.ran).toEqual([]);
});
