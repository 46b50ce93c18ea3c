// Arguments of `Model`, and results of hooks, that no table of requests holds: deep values, values that JSON has not, options that
// are none, and what `next(error)` answers of a refused call.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { queryOf } from '../helpers/app/site.ts';

const FIELDS = {
  name: { required: true },
  n: { type: 'Number' },
  day: { type: 'DateTime' },
  any: { type: 'Mixed' },
  next: { type: 'Reference', settings: { collection: 'items' } },
};
const ITEMS = '/1.0/library/items';
const HOOKED = '/2.0/library/items';
const TEXT = { 'content-type': 'text/plain' };
/** Guest code: a value of so many levels. */
const DEEP =
  'const deep = (levels) => { let value = 1; for (let n = 0; n < levels; n += 1) value = [value]; return value; };';

let app: TestApp;

async function post(path: string, source: string, policy?: JsonObject) {
  const posted = await app.inject('POST', `${path}/config`, { body: source, headers: TEXT });
  expect([posted.status, posted.text]).toEqual([200, expect.any(String)]);
  if (policy !== undefined)
    expect((await app.inject('PUT', `${path}/policy`, { body: policy })).status).toBe(200);
}

beforeAll(async () => {
  const hooks = {
    beforeCreate: ['change'],
    beforeUpdate: ['change'],
    beforeGet: ['change'],
    afterGet: ['change'],
  };
  app = await startApp({
    specs: {
      '1.0/library/items': { fields: FIELDS, settings: {} },
      '2.0/library/items': { fields: FIELDS, settings: { hooks } },
    },
  });
  await post(
    '/api/hooks/change',
    `${DEEP} module.exports = (obj, type, data) => {
      if (type === 'beforeGet' && data.req.query.nan) return { ...obj, filter: { n: NaN } };
      if (type === 'beforeGet') return { ...obj, options: { ...obj.options, ...JSON.parse(data.req.query.options ?? '{}') } };
      if (type === 'beforeUpdate') return obj.replacement;
      return type === 'beforeCreate' ? { ...obj, any: deep(obj.n) } : obj;
    };`,
  );
});

afterAll(() => app.close());

const GRANTS = {
  collections: [{ name: '1.0/library/items', actions: ['find', 'create', 'update', 'delete', 'stats'] }],
};
let made = 0;

/** What an endpoint of this code answers; a call that is refused goes to `next`. */
async function answerOf(expression: string) {
  made += 1;
  const path = `/1.0/arguments-${made}`;
  await post(
    path,
    `${DEEP} module.exports.get = async (req, res, next) => {
      try { res.json(await (${expression})); }
      catch (error) { if (req.query.pass) next(error); else res.json({ code: error.code, message: error.message, errors: error.errors }); }
    };`,
    { grants: GRANTS },
  );
  const { body } = await app.inject('GET', path);
  return { body, status: (await app.inject('GET', `${path}?pass=1`)).status };
}

describe('the depth of documents', () => {
  it('is that of HTTP in Model and in what hooks return', async () => {
    const nest = (levels: number) => `${'['.repeat(levels)}1${']'.repeat(levels)}`;
    for (const [levels, status, code] of [
      [99, 200, undefined],
      [100, 400, 'BAD_REQUEST'],
    ] as const) {
      const sent = await app.inject('POST', ITEMS, { body: `{"name":"deep","any":${nest(levels)}}` });
      const model = await answerOf(`Model('items').create({ name: 'deep', any: deep(${levels}) })`);
      const returned = await app.inject('POST', HOOKED, { body: { name: 'deep', n: levels } });
      expect([sent.status, model.status, returned.status]).toEqual([status, status, status]);
      expect([sent.body.errors?.[0].code, model.body.code]).toEqual([code, code]);
      if (code === undefined) continue;
      expect(model.body.errors).toEqual(sent.body.errors);
      expect(returned.body.errors).toMatchObject([
        { code: 'API-0002', message: expect.stringContaining('nested deeper') },
      ]);
    }
  });

  it('does not keep afterGet from returning what was read, composed too', async () => {
    const any = `${'['.repeat(99)}1${']'.repeat(99)}`;
    const [{ _id }] = (await app.inject('POST', ITEMS, { body: `{"name":"inner","any":${any}}` })).body
      .results;
    await app.inject('POST', ITEMS, { body: `{"name":"outer","any":${any},"next":"${_id}"}` });
    const query = queryOf({ filter: { name: 'outer' }, compose: 'all', cache: 'false' });
    const [plain, hooked] = [await app.inject('GET', ITEMS + query), await app.inject('GET', HOOKED + query)];
    expect(plain.body.results).toMatchObject([{ name: 'outer', next: { name: 'inner' } }]);
    expect([hooked.status, hooked.body]).toEqual([200, plain.body]);
  });
});

describe('options', () => {
  const refused: readonly (readonly [option: string, parameter: string, value: Json])[] = [
    ['limit', 'count', -1],
    ['limit', 'count', 'many'],
    ['page', 'page', -1],
    ['skip', 'skip', '1,5'],
    ['sortOrder', 'sortOrder', 'up'],
    ['fields', 'fields', 'name'],
    ['fields', 'fields', [1]],
    ['fields', 'fields', { name: 1, n: 0 }],
    ['fields', 'fields', { name: 'yes' }],
    ['sort', 'sort', { name: 'up' }],
    ['historyFilters', 'historyFilters', [1]],
  ];

  it.each(refused)('`%s` (`%s` over HTTP) cannot be %j', async (option, parameter, value) => {
    const http = await app.inject('GET', `${ITEMS}${queryOf({ [parameter]: value })}`);
    expect([http.status, http.body.errors]).toMatchObject([
      400,
      [{ field: parameter, code: 'Invalid Parameter' }],
    ]);
    const { body, status } = await answerOf(
      `Model('items').find({}, ${JSON.stringify({ [option]: value })})`,
    );
    expect([status, body]).toMatchObject([
      400,
      { code: 'PARAMETER_INVALID', errors: [{ field: option, code: 'Invalid Parameter' }] },
    ]);
    const options = JSON.stringify({ [option]: value });
    const hook = await app.inject('GET', `${HOOKED}${queryOf({ options })}`);
    expect([hook.status, hook.body.errors[0].message]).toEqual([
      400,
      expect.stringMatching(new RegExp(option, 'i')),
    ]);
  });

  it('that are wrong are all named in one answer', async () => {
    const fields = ['filter', 'page', 'skip', 'sortOrder'];
    const http = await app.inject('GET', `${ITEMS}?page=-1&sortOrder=up&skip=-8&filter=x&count=1`);
    const items = http.body.errors.map(({ field, code }: { field: string; code: string }) => [field, code]);
    expect([http.status, items]).toEqual([400, fields.map((field) => [field, 'Invalid Parameter'])]);
    expect(http.body.errors[1].details).toBe('The `page` parameter must be greater than zero');
    const { body, status } = await answerOf(
      "Model('items').find([], { page: -1, sortOrder: 'up', skip: -8 })",
    );
    const named = body.errors.map(({ field }: { field: string }) => field);
    expect([status, body.code, named]).toEqual([
      400,
      'PARAMETER_INVALID',
      ['query', 'page', 'skip', 'sortOrder'],
    ]);
    expect(body.errors[0].message).toBe('`query` must be an object: aggregation pipelines are not supported');
  });

  it('may be null, which counts as absent', async () => {
    const options = JSON.stringify({ limit: null, sort: null, compose: null });
    const { body } = await answerOf(`Model('items').find({}, ${options})`);
    expect(body.metadata.limit).toBe(40);
    const hook = await app.inject('GET', `${HOOKED}${queryOf({ options })}`);
    expect([hook.status, hook.body.metadata.limit]).toEqual([200, 40]);
  });
});

describe('an update by its id that a hook returns', () => {
  const show = ({ status, body }: { status: number; body: { errors?: Json; results?: JsonObject[] } }) => ({
    status,
    errors: body.errors,
    names: body.results?.map(({ name, n, any, v, createdBy }) => ({ name, n, any, v, createdBy })),
  });

  it.each<JsonObject>([
    {},
    { n: 5 },
    { n: 'x', day: 'soon' },
    { n: 2, v: 9, _id: 'x', createdBy: 'me', createdAt: 1 },
    { other: 1 },
    { any: null, $unset: ['n'] },
    { $unset: ['name'] },
    { next: { name: 'nested' } },
    { next: { nme: 'nested' } },
  ])('is the same as one that is sent: %j', async (update) => {
    const add = async () =>
      (await app.inject('POST', ITEMS, { body: { name: 'a', n: 1, any: [1] } })).body.results[0];
    const sent = await app.inject('PUT', `${ITEMS}/${(await add())._id}`, { body: update });
    const body = { replacement: update };
    const returned = await app.inject('PUT', `${HOOKED}/${(await add())._id}`, { body });
    expect(show(returned)).toEqual(show(sent));
  });
});

describe('statistics', () => {
  it('are those of HTTP, with a promise and with a callback behind any arguments', async () => {
    await app.inject('POST', ITEMS, { body: { name: 'counted' } });
    const http = await app.inject('GET', `${ITEMS}/stats`);
    const called = (args: string) =>
      `new Promise((done) => Model('items').stats(${args}(error, result) => done(error ?? result)))`;
    for (const expression of [
      "Model('items').stats()",
      "Model('items').stats({})",
      called(''),
      called('{}, '),
    ]) {
      expect((await answerOf(expression)).body).toEqual(http.body);
    }
  });
});

describe('values', () => {
  it('are what JSON makes of them: dates become text, what is undefined is left out', async () => {
    const { body } = await answerOf(
      "Model('items').create({ name: 'date', day: new Date(0), n: undefined, any: [new Date(0), undefined, NaN] })",
    );
    expect(body.results[0]).toMatchObject({
      day: '1970-01-01T00:00:00.000Z',
      any: ['1970-01-01T00:00:00.000Z', null, null],
    });
    expect(body.results[0]).not.toHaveProperty('n');
    const found = await answerOf(
      "Model('items').find({ day: { $lte: new Date(1) } }, { fields: { name: 1 } })",
    );
    expect(found.body.results.map(({ name }: { name: string }) => name)).toContain('date');
  });

  it.each([
    'delete({ n: NaN })',
    'delete({ n: { $in: [1, Infinity] } })',
    "update({ n: { $lt: -Infinity } }, { name: 'x' })",
    'find({ n: NaN })',
    'count({ n: NaN })',
    'find({}, { includeHistory: true, historyFilters: { n: NaN } })',
  ])('of a condition that are no finite numbers are refused: %s', async (call) => {
    const { body } = await answerOf(`Model('items').${call}`);
    expect(body.message).toMatch(/^`(?:n|1|\$lt)` is -?(?:NaN|Infinity): a condition needs a finite number$/);
  });

  it('of a filter that a hook returns are refused too', async () => {
    const { status, body } = await app.inject('GET', `${HOOKED}?nan=1`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('a finite number')]);
  });

  it('of a condition that is undefined do not delete everything', async () => {
    const { body, status } = await answerOf("Model('items').delete({ name: undefined })");
    expect([status, body.errors]).toMatchObject([400, [{ field: 'query', code: 'BAD_REQUEST' }]]);
  });

  it.each([
    ["Model('items').create({ name: '\\ud800' })", 'name'],
    ["Model('items').create([{ name: 'a' }, { name: 'b', any: { 'c\\u0000': 1 } }])", '1.any.c\u0000'],
    ["Model('items').update({ name: '\\ud800' }, { n: 1 })", 'query.name'],
    [
      "Model('items').update({ name: 'x' }, { any: JSON.parse('{\"__proto__\":1}') })",
      'update.any.__proto__',
    ],
  ])('that no store could take back are refused: %s', async (expression, field) => {
    const { body, status } = await answerOf(expression);
    expect([status, body.code, body.errors]).toMatchObject([
      400,
      'BAD_REQUEST',
      [{ field, code: 'BAD_REQUEST' }],
    ]);
  });

  it('that are integers in a text: digits that a number cannot hold are refused', async () => {
    const { body, status } = await answerOf("Model('items').find({ n: '9007199254740993' })");
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'FILTER_INVALID', 'n']);
  });
});

describe('the message of a refused call', () => {
  it('names the field, which HTTP shows beside it', async () => {
    expect((await answerOf("Model('items').create({})")).body.message).toBe('`name`: must be specified');
    const filter = await answerOf("Model('items').find({ nme: 1 })");
    expect(filter.body.message).toContain('`nme`');
    const query = await answerOf("Model('items').delete({})");
    expect(query.body.message).toMatch(/^`query` has no condition/);
  });
});
