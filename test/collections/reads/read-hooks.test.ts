import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasReadHooks } from '../../../src/collections/model/collection.ts';
import type { ReadRequest } from '../../../src/collections/model/read-parameters.ts';
import {
  checkHookRequest,
  decodeHookRequest,
  encodeHookRequest,
} from '../../../src/collections/reads/read-hooks.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { createFakeHooks, type FakeHooks } from '../fake-hooks.ts';
import {
  collectionOf,
  contextOf,
  documentsOf,
  type Library,
  openLibrary,
  refusalOf,
} from '../library-service.ts';

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
let hookFunctions: Record<string, Parameters<typeof createFakeHooks>[0][string]>;
let ids: string[];

beforeEach(async () => {
  hookFunctions = {};
  hooks = createFakeHooks(hookFunctions);
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
const titles = (page: Parameters<typeof documentsOf>[0]) => documentsOf(page).map(({ title }) => title);
const onlyA: JsonObject = { filter: { title: 'a' } };

/** An `afterGet` that takes the secrets out. */
function hideSecrets(page: JsonObject): Json {
  const results = (page['results'] as JsonObject[]).map(({ secret, ...rest }) => rest);
  return { ...page, results };
}

describe('beforeGet', () => {
  test('gets the request and may replace it', async () => {
    let seen: unknown;
    hookFunctions['before'] = (obj) => {
      seen = obj;
      return { filter: { title: { $ne: 'b' } }, options: { sort: 'title', sortOrder: -1, limit: 1 } };
    };
    const page = await list({ filter: { title: 'x' }, pageSize: 7 });
    expect(seen).toEqual({ filter: { title: 'x' }, options: { limit: 7 } });
    expect(titles(page)).toEqual(['c']);
    expect(page.metadata).toMatchObject({ totalCount: 2, limit: 1 });
  });

  test('cannot return a filter that a client could not send', async () => {
    hookFunctions['before'] = () => ({ filter: { $where: '1' } });
    expect((await refusalOf(list())).code).toBe('FILTER_INVALID');
    hookFunctions['before'] = () => ({ filter: { createdAt: { $gte: 'soon' } } });
    expect((await refusalOf(list())).code).toBe('FILTER_INVALID');
    hookFunctions['before'] = () => ({ filter: 5 });
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
    hookFunctions['before'] = () => null;
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
  });

  test('changes the filter of counts, too', async () => {
    hookFunctions['before'] = () => onlyA;
    expect((await count()).metadata.totalCount).toBe(1);
  });

  test('gets the id of a read by id, and cannot replace it by another', async () => {
    let seen: unknown;
    hookFunctions['before'] = (obj) => {
      seen = obj['filter'];
      return undefined;
    };
    await get(ids[0]!, { filter: { title: 'a' } });
    expect(seen).toEqual({ title: 'a', _id: ids[0] });
    await get(ids[0]!, { filter: { _id: ids[1]! } });
    expect(seen).toEqual({ $and: [{ _id: ids[0] }, { _id: ids[1] }] });
    expect((await get(ids[0]!, { filter: { _id: ids[1]! } })).v).toBeUndefined();
    hookFunctions['before'] = () => ({ filter: { _id: ids[1]! } });
    expect((await get(ids[0]!)).v).toBeUndefined();
    hookFunctions['before'] = () => ({ filter: {} });
    expect(titles(await get(ids[0]!))).toEqual(['a']);
  });

  test('hides the history of a document that it hides', async () => {
    hookFunctions['before'] = () => onlyA;
    expect((await history(ids[0]!)).count).toBe(1);
    expect((await refusalOf(history(ids[1]!))).code).toBe('DOCUMENT_NOT_FOUND');
  });
});

describe('afterGet', () => {
  test('may replace results and metadata', async () => {
    hookFunctions['after'] = (page) => ({ ...(hideSecrets(page) as JsonObject), metadata: { own: true } });
    const page = await list();
    expect(documentsOf(page)).toMatchObject([{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    expect(page.text).not.toContain('secret');
    expect(page.metadata).toEqual({ own: true });
  });

  test('changes single documents and revisions, too', async () => {
    hookFunctions['after'] = hideSecrets;
    const one = await get(ids[0]!);
    expect(one.text).not.toContain('secret');
    expect(one.v).toBe(1);
    expect((await history(ids[0]!)).text).not.toContain('secret');
  });

  test('without results is a 404, and it does not run where no document was found', async () => {
    hookFunctions['after'] = (page) => ({ ...page, results: [] });
    expect((await get(ids[0]!)).v).toBeUndefined();
    expect((await get('a'.repeat(24))).count).toBe(0);
    expect(hooks.ran).toEqual(['beforeGet before', 'afterGet after', 'beforeGet before']);
  });

  test.each<Json>([
    {},
    [],
    'x',
    { results: [] },
    { results: [1], metadata: {} },
    { results: {}, metadata: {} },
  ])('cannot return %j, which is no page', async (result) => {
    hookFunctions['after'] = () => result;
    expect((await refusalOf(list())).code).toBe('HOOK_FAILED');
  });

  test('leaves the page unchanged when it returns nothing', async () => {
    hookFunctions['after'] = () => undefined;
    expect(titles(await list())).toEqual(['a', 'b', 'c']);
  });
});

test('reads of collections without hooks for reads run none', async () => {
  const own = { hooks: { beforeCreate: ['x'] } };
  expect(hasReadHooks(collectionOf('a', { fields: FIELDS, settings: own }))).toBe(false);
  expect(hasReadHooks(library.at('books'))).toBe(true);
  await library.create('plain', { title: 'p' });
  expect(titles(await library.documents.list(library.at('plain'), {}, contextOf()))).toEqual(['p']);
  expect(hooks.ran).toEqual([]);
});

const FULL: ReadRequest = {
  filter: { title: 'a' },
  pageSize: 5,
  page: 2,
  skip: 1,
  sort: { title: 1 },
  sortOrder: -1,
  fields: { title: 1 },
  compose: true,
  includeHistory: false,
  historyFilters: { v: 1 },
};

describe('the request that beforeGet gets', () => {
  test('has everything that was sent, the page size as limit', () => {
    const { filter, pageSize, ...options } = FULL;
    expect(JSON.parse(encodeHookRequest(FULL))).toEqual({ filter, options: { ...options, limit: pageSize } });
  });

  test('has an empty filter and no options where nothing was sent', () => {
    expect(encodeHookRequest({})).toBe('{"filter":{},"options":{}}');
  });

  test('is decoded to the same request', () => {
    const text = encodeHookRequest(FULL);
    expect(checkHookRequest(JSON.parse(text))).toBeUndefined();
    expect(decodeHookRequest(JSON.parse(text))).toEqual(FULL);
  });
});

describe('the result of beforeGet', () => {
  test('may leave the options out, and have options that do not exist', () => {
    expect(checkHookRequest({ filter: {} })).toBeUndefined();
    expect(decodeHookRequest({ filter: { a: 1 } })).toEqual({ filter: { a: 1 } });
    const result = JSON.parse('{"filter": {}, "options": {"constructor": 1, "__proto__": {"limit": 1}}}');
    expect(checkHookRequest(result)).toBeUndefined();
    expect(decodeHookRequest(result)).toEqual({ filter: {} });
  });

  test('has numbers and directions in the forms of a query string, and null for what is absent', () => {
    const options = { limit: '2', page: 1.9, skip: 1e300, sortOrder: 'desc', compose: null };
    expect(checkHookRequest({ filter: {}, options })).toBeUndefined();
    expect(decodeHookRequest({ filter: {}, options })).toEqual({
      filter: {},
      pageSize: 2,
      page: 1,
      skip: 1_000_000_000_000,
      sortOrder: -1,
    });
  });

  test.each<[Json, RegExp]>([
    [{}, /`filter`/],
    [5, /`filter`/],
    [[], /`filter`/],
    [{ filter: [] }, /`filter`/],
    [{ filter: {}, options: [] }, /`options`/],
    [{ filter: {}, options: null }, /`options`/],
    [{ filter: {}, options: { limit: 'five' } }, /`limit` is a number/],
    [{ filter: {}, options: { skip: -1 } }, /`skip`/],
    [{ filter: {}, options: { sort: 5 } }, /`sort`/],
    [{ filter: {}, options: { sortOrder: 'up' } }, /`sortOrder`/],
    [{ filter: {}, options: { fields: 'title' } }, /`fields`/],
    [{ filter: {}, options: { compose: 'yes' } }, /`compose`/],
    [{ filter: {}, options: { compose: -1 } }, /`compose`/],
    [{ filter: {}, options: { historyFilters: 1 } }, /`historyFilters`/],
  ])('%j is invalid', (result, message) => {
    expect(checkHookRequest(result)).toMatch(message);
  });
});
