// Unique indexes and statistics over the whole application.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection } from '../helpers/app/site.ts';

const fields = {
  name: {},
  code: { type: 'Mixed' },
  tags: {},
  n: { type: 'Number' },
  box: { type: 'Object' },
};
const unique = (keys: JsonObject, more: JsonObject = {}): JsonObject => ({
  index: [{ keys, options: { unique: true, ...more } }],
});

let app: TestApp;
let number = 0;

beforeAll(async () => {
  app = await startApp({ specs: {} });
});

afterAll(() => app.close());

function shelf(settings: JsonObject) {
  number += 1;
  return createTestCollection(app, `/1.0/library/unique${number}`, { fields, settings });
}

const CLASHES: readonly (readonly [JsonObject, JsonObject, JsonObject, readonly string[]])[] = [
  [unique({ name: 1 }), { name: 'a' }, { name: 'a' }, ['name']],
  [unique({ name: 1 }), { n: 1 }, { n: 2 }, ['name']],
  [unique({ name: 1 }), { name: null }, {}, ['name']],
  [unique({ tags: 1 }), { tags: ['a', 'b'] }, { tags: ['b', 'c'] }, ['tags']],
  [unique({ tags: 1 }), { tags: ['a', 'b'] }, { tags: 'a' }, ['tags']],
  [unique({ n: -1 }), { n: 0 }, { n: -0 }, ['n']],
  [unique({ name: 1, n: -1 }), { name: 'a', n: 1 }, { name: 'a', n: 1 }, ['name', 'n']],
  [unique({ 'box.isbn': 1 }), { box: { isbn: 1 } }, { box: { isbn: 1 } }, ['box.isbn']],
  [unique({ code: 1 }), { code: { a: 1, b: 2 } }, { code: { a: 1, b: 2 } }, ['code']],
  [unique({ name: 1, n: 1 }, { sparse: true }), { name: 'a' }, { name: 'a' }, ['name', 'n']],
];

const NEIGHBOURS: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
  [unique({ name: 1 }), { name: 'a' }, { name: 'A' }],
  [unique({ name: 1 }), { name: '\u00e9' }, { name: 'e\u0301' }],
  [unique({ name: 1 }, { sparse: true }), { n: 1 }, { n: 2 }],
  [unique({ tags: 1 }), { tags: ['a', 'a'] }, { tags: ['b'] }],
  [unique({ code: 1 }), { code: 1 }, { code: '1' }],
  [unique({ code: 1 }), { code: { a: 1, b: 2 } }, { code: { b: 2, a: 1 } }],
  [unique({ name: 1, n: 1 }), { name: 'a', n: 1 }, { name: 'a', n: 2 }],
  [unique({ createdAt: 1, name: 1 }), { name: 'a' }, { name: 'b' }],
];

describe('a unique index', () => {
  it.each(CLASHES)('%j keeps %j from %j', async (settings, first, second, names) => {
    const items = names.map((field) => ({ field, message: 'must be unique', code: 'ERROR_UNIQUE' }));
    const { path, add, get } = await shelf(settings);
    await add(first);
    const created = await app.inject('POST', path, { body: second });
    expect([created.status, created.body]).toEqual([400, { statusCode: 400, success: false, errors: items }]);
    const batch = await app.inject('POST', path, {
      body: [{ name: 'other', n: 77, tags: 'z', code: 7 }, second],
    });
    expect(batch.body.errors).toEqual(items.map((item) => ({ ...item, index: 1 })));
    expect((await get({}, '/count')).body.metadata.totalCount).toBe(1);
  });

  it.each(NEIGHBOURS)('%j suffers %j beside %j', async (settings, first, second) => {
    const { add, get } = await shelf(settings);
    await add(first, second);
    expect((await get({}, '/count')).body.metadata.totalCount).toBe(2);
  });

  it('may refuse the first write of all, which leaves nothing behind', async () => {
    const { path, get } = await shelf({});
    const parent = await createTestCollection(app, `${path}parents`, {
      fields: { child: { type: 'Reference', settings: { collection: path.split('/').pop() ?? '' } } },
      settings: unique({ child: 1 }, { sparse: true }),
    });
    const body = [{ child: { name: 'a' } }, { child: '0'.repeat(24) }, { child: '0'.repeat(24) }];
    expect((await app.inject('POST', parent.path, { body })).status).toBe(400);
    for (const read of [get, parent.get]) {
      expect((await read()).body.results).toEqual([]);
      expect((await read({}, `/${'0'.repeat(24)}`)).status).toBe(404);
      expect((await read({}, '/count')).body.metadata.totalCount).toBe(0);
    }
  });

  it('that data break is refused, and nothing changes', async () => {
    const { path, add } = await shelf({});
    await add({ name: 'a' }, { name: 'a' });
    const body = { fields: { name: {}, extra: {} }, settings: unique({ name: 1 }) };
    const { status, body: answer } = await app.inject('POST', `${path}/config`, { body });
    expect([status, answer.success, JSON.stringify(answer.errors)]).toEqual([
      400,
      false,
      expect.stringContaining('name'),
    ]);
    expect((await app.inject('GET', `${path}/config`)).body.fields).toEqual(fields);
    await add({ name: 'a' });
  });

  it('holds from the answer on, and no longer than it is declared', async () => {
    const { path, add } = await shelf({});
    await add({ name: 'a' });
    const change = (settings: JsonObject) =>
      app.inject('POST', `${path}/config`, { body: { fields, settings } });
    const clash = () => app.inject('POST', path, { body: { name: 'a' } });
    await change(unique({ name: 1 }));
    expect((await clash()).status).toBe(400);
    await change({});
    expect((await clash()).status).toBe(200);
  });
});

describe('an index', () => {
  const filters: readonly Json[] = [
    { name: 'A1' },
    { name: { $eq: 'a1' } },
    { name: { $gte: 'a1', $lt: 'a3' } },
    { tags: 't2' },
    { 'box.k': 3 },
    { name: null },
    { n: { $in: ['1', 2] } },
  ];

  it('changes the time of an answer, never the answer', async () => {
    const keys: readonly JsonObject[] = [{ name: 1 }, { tags: 1 }, { 'box.k': -1 }, { n: -1, name: 1 }];
    const bare = await shelf({});
    const indexed = await shelf({ index: keys.map((entry) => ({ keys: entry })) });
    const documents = Array.from({ length: 30 }, (_, at) => ({
      ...(at % 7 === 0 ? {} : { name: `${at % 2 ? 'a' : 'A'}${at % 5}` }),
      tags: [`t${at % 4}`, `T${at % 3}`],
      box: at % 2 ? { k: at % 6 } : [{ k: at % 6 }, { k: 'x' }],
      n: at % 4,
    }));
    for (const each of [bare, indexed]) for (const document of documents) await each.add(document);
    const answers = (each: typeof bare, parameters: Record<string, Json>) =>
      each.get({ ...parameters, count: 0, fields: { name: 1, tags: 1, box: 1, n: 1, _id: 0 } });
    for (const filter of [{}, ...filters]) {
      for (const sort of [{ _id: 1 }, { n: -1, name: 1 }, { n: 1, name: -1 }, { tags: -1 }]) {
        const [expected, found] = [
          await answers(bare, { filter, sort }),
          await answers(indexed, { filter, sort }),
        ];
        expect(expected.status).toBe(200);
        expect(found.body.results).toEqual(expected.body.results);
        expect(found.body.metadata.totalCount).toBe(expected.body.metadata.totalCount);
      }
    }
  });
});

describe('an index whose specification changes', () => {
  it('serves what the new one says', async () => {
    const { path, add, find } = await shelf({});
    const post = async (name: JsonObject, index: Json) => {
      const body = { fields: { ...fields, name }, settings: { index } };
      expect((await app.inject('POST', `${path}/config`, { body })).status).toBe(200);
    };
    const index = (keys: JsonObject, options: JsonObject = {}) => [
      { keys, options: { name: 'same', ...options } },
    ];
    await add({ name: 'Alpha', n: 1, tags: ['x', 'y'] }, { name: 'alpha', n: 2 }, { name: 'beta', n: 3 });
    const exact = { matchType: 'exact' };
    const steps: readonly (readonly [JsonObject, Json, readonly string[]])[] = [
      [exact, index({ name: 1 }), ['alpha']],
      [{}, index({ name: 1 }), ['Alpha', 'alpha']],
      [exact, index({ name: 1 }), ['alpha']],
      [{}, index({ name: -1, n: 1 }), ['Alpha', 'alpha']],
      [{}, index({ name: 1 }, { unique: true }), ['Alpha', 'alpha']],
      [{}, index({ n: 1 }, { sparse: true }), ['Alpha', 'alpha']],
      [{}, { enabled: false, keys: { name: 1 } }, ['Alpha', 'alpha']],
      [{}, [], ['Alpha', 'alpha']],
    ];
    for (const [name, declared, found] of steps) {
      await post(name, declared);
      expect(await find({ name: 'alpha' })).toEqual(found);
      expect(await find({ name: { $gt: 'alpha' } })).toEqual(['beta']);
      expect(await find({}, { sort: { n: -1 } })).toEqual(['beta', 'alpha', 'Alpha']);
      expect(await find({ tags: 'Y' })).toEqual(['Alpha']);
    }
    const { body } = await app.inject('GET', `${path}/stats`);
    expect(Object.keys(body.indexSizes)).toEqual(['_id_']);
  });

  it('minds the documents that are written while it is built', async () => {
    const { path, add, find } = await shelf({});
    await add(...Array.from({ length: 3000 }, (_, n) => ({ name: `n${n % 10}`, n })));
    const body = {
      fields,
      settings: { index: [{ keys: { name: 1 } }, { keys: { n: 1 }, options: { unique: true } }] },
    };
    const [posted, ...written] = await Promise.all([
      app.inject('POST', `${path}/config`, { body }),
      ...Array.from({ length: 20 }, (_, n) =>
        app.inject('POST', path, { body: { name: 'N3', n: 5000 + n } }),
      ),
      app.inject('PUT', path, {
        body: { query: { n: { $lt: 100 }, name: 'n3' }, update: { name: 'moved' } },
      }),
      app.inject('DELETE', path, { body: { query: { n: { $gte: 2900, $lt: 3000 }, name: 'n3' } } }),
    ]);
    expect([posted.status, ...written.map(({ status }) => status)]).toEqual([
      200,
      ...Array.from({ length: 21 }, () => 200),
      204,
    ]);
    const count = async (filter: Json) => (await find(filter, { count: 0 })).length;
    expect(await count({ name: 'n3' })).toBe(300 - 10 - 10 + 20);
    expect(await count({ name: 'MOVED' })).toBe(10);
  });
});

describe('an index on a position of a list', () => {
  it('refuses a document in which the number is a name too, and says so', async () => {
    const { path, add } = await shelf({ index: { keys: { 'code.0': 1 } } });
    // On MongoDB it is built while documents may be written.
    const isBuilt = async () => (await app.inject('GET', `${path}/stats`)).body.indexes;
    await expect.poll(isBuilt, { timeout: 30_000 }).toBe(2);
    const { status, body } = await app.inject('POST', path, { body: [{ name: 'a' }, { code: [{ 0: 1 }] }] });
    const message =
      'has a number that is a position of a list and a name in one of its elements: no index on `code.0` can hold it';
    expect([status, body.errors]).toEqual([
      400,
      [{ index: 1, field: 'code.0', message, code: 'ERROR_VALUE_INVALID' }],
    ]);
    expect(await add({ code: [1] }, { code: { 0: 1 } })).toHaveLength(2);
  });
});

describe('statistics', () => {
  it('count documents, bytes and indexes', async () => {
    const { path, add, get } = await shelf({ index: [{ keys: { name: 1 } }, { keys: { n: 1, tags: -1 } }] });
    await add({ name: 'a' }, { name: 'b' });
    const { status, body } = await get({}, '/stats');
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ['averageObjectSize', 'count', 'indexSizes', 'indexes', 'size', 'storageSize', 'totalIndexSize'],
    ]);
    expect(body).toMatchObject({ count: 2, averageObjectSize: body.size / 2 });
    expect(Object.keys(body.indexSizes)).toEqual(expect.arrayContaining(['_id_', 'name_1', 'n_1_tags_-1']));
    expect(body.indexes).toBe(Object.keys(body.indexSizes).length);
    const sum = Object.values(body.indexSizes as Record<string, number>).reduce((a, b) => a + b, 0);
    expect(body.totalIndexSize).toBe(sum);
    expect(body.size).toBeGreaterThan(100);
    const post = await app.inject('POST', `${path}/stats`, { body: {} });
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
