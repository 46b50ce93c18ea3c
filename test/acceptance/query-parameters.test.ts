// Every query parameter but `filter` over the whole application: effect, metadata, and the words of each refusal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, queryOf, type TestCollection } from '../helpers/app/site.ts';

type Parameters = Readonly<Record<string, Json>>;

let app: TestApp;
let plain: TestCollection;
let set: TestCollection;

const fields = { name: {}, n: { type: 'Number' }, tags: {}, any: { type: 'Mixed' } };

beforeAll(async () => {
  app = await startApp({ specs: {}, config: { limits: { pageSize: 50 } } });
  plain = await createTestCollection(app, '/1.0/library/plain', { fields });
  set = await createTestCollection(app, '/1.0/library/set', {
    fields,
    settings: {
      count: 2,
      sort: 'n',
      sortOrder: -1,
      callback: 'show',
      defaultFilters: { n: { $gt: 1 } },
      fieldLimiters: { name: 1, n: 1 },
      compose: false,
    },
  });
  const documents = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name, n) => ({ name, n }));
  await plain.add(...documents);
  await set.add(...documents);
});

afterAll(() => app.close());

const METADATA: readonly (readonly [Parameters, Parameters])[] = [
  [{}, { limit: 40, page: 1, fields: {}, offset: 0, totalCount: 7, totalPages: 1 }],
  [{ count: 3 }, { limit: 3, page: 1, fields: {}, offset: 0, totalCount: 7, totalPages: 3, nextPage: 2 }],
  [
    { count: 3, page: 2 },
    { limit: 3, page: 2, fields: {}, offset: 3, totalCount: 7, totalPages: 3, nextPage: 3, prevPage: 1 },
  ],
  [
    { count: 3, page: 3, skip: 1 },
    { limit: 3, page: 3, fields: {}, offset: 7, totalCount: 7, totalPages: 3, prevPage: 2 },
  ],
  [
    { count: 3, page: 9 },
    { limit: 3, page: 9, fields: {}, offset: 24, totalCount: 7, totalPages: 3 },
  ],
  [{ count: 0 }, { limit: 50, page: 1, fields: {}, offset: 0, totalCount: 7, totalPages: 1 }],
  [{ count: 9999 }, { limit: 50, page: 1, fields: {}, offset: 0, totalCount: 7, totalPages: 1 }],
  [{ page: 0 }, { limit: 40, page: 1, fields: {}, offset: 0, totalCount: 7, totalPages: 1 }],
  [
    { sort: 'n', sortOrder: 'desc' },
    { limit: 40, page: 1, fields: {}, sort: { n: -1 }, offset: 0, totalCount: 7, totalPages: 1 },
  ],
  [
    { sort: { n: -1, name: 1 }, fields: { name: 1 } },
    {
      limit: 40,
      page: 1,
      fields: { name: 1 },
      sort: { n: -1, name: 1 },
      offset: 0,
      totalCount: 7,
      totalPages: 1,
    },
  ],
  [
    { sort: 'unknown' },
    {
      limit: 40,
      page: 1,
      fields: {},
      offset: 0,
      totalCount: 7,
      totalPages: 1,
      warnings: ["`unknown` in `sort` is ignored: it doesn't exist in the collection schema"],
    },
  ],
  [
    { includeHistory: true, historyFilters: { v: 1 } },
    {
      limit: 40,
      page: 1,
      fields: {},
      historyFilters: { v: 1 },
      offset: 0,
      totalCount: 7,
      totalPages: 1,
    },
  ],
  [{ filter: { n: 99 } }, { limit: 40, page: 1, fields: {}, offset: 0, totalCount: 0, totalPages: 0 }],
];

describe('metadata', () => {
  it.each(METADATA)('of %j', async (parameters, metadata) => {
    const { status, body } = await plain.get(parameters);
    expect([status, Object.keys(body)]).toEqual([200, ['results', 'metadata']]);
    expect(body.metadata).toEqual(metadata);
  });

  it('of a count has three members', async () => {
    const { body } = await plain.get({ count: 3, filter: { n: { $gt: 1 } } }, '/count');
    expect(body).toEqual({ metadata: { limit: 3, totalCount: 5, totalPages: 2 } });
    expect((await set.get({}, '/count')).body).toEqual({
      metadata: { limit: 2, totalCount: 5, totalPages: 3 },
    });
  });
});

const FIRST: readonly (readonly [Parameters, string])[] = [
  [{}, 'abcdefg'],
  [{ sort: 'n', sortOrder: 'desc' }, 'gfedcba'],
  [{ sort: 'n', sortOrder: '-1' }, 'gfedcba'],
  [{ sort: 'n', sortOrder: 'asc', count: 2, page: 2 }, 'cd'],
  [{ sort: 'n', sortOrder: '1', skip: 5 }, 'fg'],
  [{ sort: { name: -1 }, count: 2, page: 2, skip: 1 }, 'dc'],
  [{ sort: { _id: -1 }, count: 1 }, 'g'],
  [{ sort: { createdAt: 1, n: -1 } }, 'gfedcba'],
  [{ sort: 'nope' }, 'abcdefg'],
  [{ count: '2.9' }, 'ab'],
  [{ whatever: '-1', filterable: '{' }, 'abcdefg'],
  [{ compose: 'all' }, 'abcdefg'],
  [{ compose: '3', includeHistory: 'yes', cache: 'no' }, 'abcdefg'],
];

describe('a page', () => {
  it.each(FIRST)('of %j', async (parameters, names) => {
    const { status, body } = await plain.get(parameters);
    expect(status).toBe(200);
    expect(body.results.map(({ name }: { name: string }) => name).join('')).toBe(names);
  });

  it('follows the settings of the collection', async () => {
    const { text, headers } = await set.get();
    expect(headers['content-type']).toMatch(/^text\/javascript\b/);
    expect(text.slice(0, 5) + text.slice(-2)).toBe('show();');
    const { results, metadata } = JSON.parse(text.slice(5, -2));
    expect(results.map(({ n }: { n: number }) => n)).toEqual([6, 5]);
    expect(results.map(Object.keys)).toEqual([
      ['name', 'n', '_id'],
      ['name', 'n', '_id'],
    ]);
    expect(metadata).toMatchObject({ limit: 2, sort: { n: -1 }, fields: { name: 1, n: 1 }, totalCount: 5 });
  });

  it('joins the default filter with the request’s on one field', async () => {
    const { text } = await set.get({ filter: { n: { $lt: 3 } }, callback: 'other' });
    expect(text.startsWith('other({"results":[{"name":"c","n":2,')).toBe(true);
    expect(text).toContain('"totalCount":1');
  });
});

const LIMITED: readonly (readonly [Json, Parameters, readonly string[]])[] = [
  [{ name: 1 }, { n: 1 }, ['name', 'n', '_id']],
  [{ name: 1, _id: 0 }, { n: 1 }, ['name', 'n']],
  [{ name: 1 }, { name: 0 }, ['name', '_id']],
  [{ name: 0 }, { name: 1, n: 1 }, ['n', '_id']],
  [{ name: 0 }, { n: 0, apiVersion: 0, createdAt: 0, createdBy: 0, v: 0 }, ['_id']],
  [null, { _id: 0, n: 1 }, ['n']],
  [null, { _id: 1 }, ['_id']],
  [null, { v: 1 }, ['v', '_id']],
];

describe('fields', () => {
  it.each(LIMITED)('limited by %j and asked as %j', async (fieldLimiters, asked, names) => {
    const shelf = await createTestCollection(app, '/1.0/library/limited', {
      fields,
      settings: { fieldLimiters },
    });
    const [{ _id }] = await shelf.add({ name: 'x', n: 1 });
    const list = await shelf.get({ fields: asked });
    expect(Object.keys(list.body.results[0])).toEqual(names);
    const one = await shelf.get({ fields: asked }, `/${_id}`);
    expect(Object.keys(one.body.results[0])).toEqual(names);
  });

  it('limited by a mixture load, and every read fails', async () => {
    const settings = { fieldLimiters: { name: 1, n: 0 } };
    const shelf = await createTestCollection(app, '/1.0/library/mixed', { fields, settings });
    const { status, body } = await shelf.get();
    expect([status, body.errors[0].title, body.errors[0].code]).toEqual([
      400,
      'Invalid Fields Parameter Provided',
      'Invalid Parameter',
    ]);
    expect(body.errors[0].details).toContain('database error');
  });
});

const BAD: readonly (readonly [string, string, string | undefined])[] = [
  ['skip=-1', 'Skip', 'The `skip` parameter must be greater than or equal to zero'],
  ['skip=x', 'Skip', 'The `skip` parameter must a number'],
  ['page=-1', 'Page', 'The `page` parameter must be greater than zero'],
  ['page=x', 'Page', undefined],
  ['count=-1', 'Count', undefined],
  ['count=x', 'Count', undefined],
  ['count=', 'Count', undefined],
  ['count=1&count=2', 'Count', undefined],
  ['filter={', 'Filter', undefined],
  ['filter=[]', 'Filter', undefined],
  ['filter={}&filter={}', 'Filter', undefined],
  ['fields={', 'Fields', undefined],
  ['fields=[]', 'Fields', undefined],
  ['fields={"name":2}', 'Fields', undefined],
  ['fields={"name":1,"n":0}', 'Fields', undefined],
  ['sort={', 'Sort', undefined],
  ['sort={"n":2}', 'Sort', undefined],
  ['sort=n&sortOrder=up', 'SortOrder', undefined],
  ['historyFilters={', 'HistoryFilters', undefined],
  ['callback=a.b', 'Callback', undefined],
  ['callback=', 'Callback', undefined],
];

describe('a parameter', () => {
  it.each(BAD)('%s is refused', async (query, name, details) => {
    const { status, body } = await app.inject('GET', `${plain.path}?${query.replaceAll('"', '%22')}`);
    expect([status, body.statusCode, body.success, body.errors.length]).toEqual([400, 400, false, 1]);
    expect(body.errors[0]).toMatchObject({
      status: 'Bad Request',
      code: 'Invalid Parameter',
      title: `Invalid ${name} Parameter Provided`,
      details: details ?? expect.any(String),
      message: expect.any(String),
    });
  });
});

describe('order', () => {
  it('is that of the database: types, lists, code points, ties by id in the direction of the last key', async () => {
    const shelf = await createTestCollection(app, '/1.0/library/order', { fields });
    const values = [true, [3, 9], 'b', { a: 1 }, 5, null, '\u{1f600}', '\uffff', 'a', [], false];
    await shelf.add({ name: 'none' }, ...values.map((any) => ({ name: JSON.stringify(any), any })));
    const up = await shelf.find({}, { sort: { any: 1 } });
    expect(up).toEqual([
      '[]',
      'none',
      'null',
      '[3,9]',
      '5',
      '"a"',
      '"b"',
      '"\uffff"',
      '"\u{1f600}"',
      '{"a":1}',
      'false',
      'true',
    ]);
    const down = await shelf.find({}, { sort: { any: -1 } });
    expect(down).toEqual([
      ...['true', 'false', '{"a":1}', '"\u{1f600}"', '"\uffff"', '"b"', '"a"'],
      ...['[3,9]', '5', 'null', 'none', '[]'],
    ]);
  });

  it('by two lists of one document is refused', async () => {
    const shelf = await createTestCollection(app, '/1.0/library/lists', { fields });
    await shelf.add({ name: ['a', 'b'], tags: ['c'] });
    const { status, body } = await shelf.get({ sort: { name: 1, tags: 1 } });
    expect([status, body.success, typeof body.errors[0].message]).toEqual([400, false, 'string']);
    expect((await shelf.get({ sort: { name: 1, n: 1 } })).status).toBe(200);
  });
});

describe('JSONP', () => {
  it('wraps lists and single documents, never refusals', async () => {
    const [{ _id }] = (await plain.get({ count: 1 })).body.results;
    for (const path of [plain.path, `${plain.path}/${_id}`]) {
      const { status, text, headers } = await app.inject('GET', `${path}?callback=cb`);
      expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
        200,
        expect.stringMatching(/^text\/javascript\b/),
        'nosniff',
      ]);
      expect(text).toMatch(/^cb\(\{.*\}\);$/s);
    }
    const refused = await app.inject('GET', plain.path + queryOf({ callback: 'cb', skip: '-1' }));
    expect([refused.status, refused.body.success]).toEqual([400, false]);
  });
});
