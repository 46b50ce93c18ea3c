// Specifications over the whole application: what is taken, what is refused, and what a change does to documents.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InjectAnswer, startApp, type TestApp } from '../helpers/app.ts';
import { makeShelf } from '../helpers/shelf.ts';

const PATH = '/1.0/library/probe';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: {} });
});

afterAll(() => app.close());

const post = (body: unknown, path = PATH) => app.inject('POST', `${path}/config`, { body });
const field = (spec: unknown, name = 'a') => ({ fields: { [name]: spec }, settings: {} });
const setting = (settings: unknown) => ({ fields: { a: {}, b: { type: 'Number' } }, settings });
const errorsOf = ({ status, body }: InjectAnswer) => [status, JSON.stringify(body.errors)];

const TAKEN: readonly unknown[] = [
  field({}),
  field({
    type: 'String',
    label: 'Title',
    comments: 'What it is called',
    example: 'War and Peace',
    placement: 'Main Content',
    validation: { minLength: 1, maxLength: 10, regex: { pattern: '^[a-z]+$' } },
    required: false,
    message: 'is invalid',
    default: 'x',
    display: { index: true, edit: true },
    matchType: 'exact',
  }),
  ...['String', 'Number', 'Boolean', 'Mixed', 'Object', 'ObjectID', 'Reference', 'DateTime'].map((type) =>
    field({ type }),
  ),
  ...['größe', '名前', 'a b', '-', 'constructor', 'toString', '0', 'id', 'results'].map((name) =>
    field({}, name),
  ),
  field({ validation: { regex: { pattern: '^(?=.*\\d).{4,}$' } } }),
  field({ validation: { regex: { pattern: '(a)\\1' } } }),
  setting({
    cache: true,
    authenticate: true,
    count: 40,
    sort: 'a',
    sortOrder: 1,
    callback: null,
    defaultFilters: null,
    fieldLimiters: null,
    storeRevisions: false,
    revisionCollection: null,
    index: [],
  }),
  setting({
    sort: 'nowhere',
    sortOrder: -1,
    callback: 'show',
    authenticate: ['post', 'PUT'],
    unknown: { x: 1 },
  }),
  setting({ defaultFilters: { a: 'x', $or: [{ b: 1 }, { b: '2' }] }, fieldLimiters: { a: 1, _id: 0 } }),
  setting({ index: { enabled: false, keys: { nothing: 1 } } }),
  setting({ index: { enabled: true, keys: { a: 1, b: -1 }, options: { unique: true, background: true } } }),
  setting({ index: [{ keys: { 'b.c': 1 } }, { keys: { createdAt: -1, v: 1 } }, { keys: { _id: 1 } }] }),
  setting({ index: [{ keys: { a: 'text' } }, { keys: { b: 1 }, options: { expireAfterSeconds: 5 } }] }),
  setting({ hooks: { beforeCreate: 'slugify' }, displayName: 'Probe' }),
];

const REFUSED: readonly (readonly [unknown, string])[] = [
  [field({ type: 'Nope' }), 'Nope'],
  [field({ type: 'string' }), 'string'],
  [field({ type: 'toString' }), 'toString'],
  [field(5), 'object'],
  [field({}, ''), 'name'],
  [field({}, 'a.b'), 'a.b'],
  [field({}, '$a'), '$a'],
  [field({}, '_a'), '_a'],
  ...['_id', 'apiVersion', 'v', 'history', 'createdAt', 'createdBy', 'lastModifiedAt', 'lastModifiedBy'].map(
    (name) => [field({}, name), name] as const,
  ),
  [field({}, 'composed'), 'composed'],
  [field({ limit: 5 }), 'validation.maxLength'],
  [field({ validationRule: '^a' }), 'validation.regex'],
  [field({ validation: { regex: { pattern: '(' } } }), 'pattern'],
  [field({ validation: { minLength: -1 } }), 'minLength'],
  [field({ validation: { maxLength: 'x' } }), 'maxLength'],
  [field({ type: 'Number', default: 'x' }), 'default'],
  [field({ type: 'Reference', settings: { collection: '../x' } }), 'collection'],
  [setting({ count: 'x' }), 'count'],
  [setting({ count: -1 }), 'count'],
  [setting({ sortOrder: 2 }), 'sortOrder'],
  [setting({ callback: 'a.b' }), 'callback'],
  [setting({ authenticate: ['FETCH'] }), 'authenticate'],
  [setting({ defaultFilters: { nope: 1 } }), 'nope'],
  [setting({ defaultFilters: { $where: '1' } }), '$where'],
  [setting({ fieldLimiters: { a: 2 } }), 'fieldLimiters'],
  [setting({ index: [{ keys: {} }] }), 'keys'],
  [
    setting({ index: { keys: { a: 1 }, options: { unique: true, partialFilterExpression: { a: 1 } } } }),
    'unique',
  ],
  [setting({ storeRevisions: true, revisionCollection: 'probe' }), 'revisionCollection'],
];

describe('a specification', () => {
  it.each(TAKEN)('is taken: %j', async (body) => {
    const answer = await post(body);
    expect([answer.status, answer.body.result]).toEqual([200, 'success']);
    const { settings, fields } = (await app.inject('GET', `${PATH}/config`)).body;
    expect({ fields, settings }).toEqual({
      ...(body as object),
      settings: { ...(body as { settings: object }).settings, lastModifiedAt: expect.any(Number) },
    });
    expect((await app.inject('GET', PATH)).status).toBe(200);
  });

  it.each(REFUSED)('is refused: %j', async (body, culprit) => {
    const before = await post(field({}, 'before'));
    expect(before.status).toBe(200);
    const [status, errors] = errorsOf(await post(body));
    expect(status).toBe(400);
    expect(errors).toContain(culprit);
    expect((await app.inject('GET', `${PATH}/config`)).body.fields).toEqual({ before: {} });
  });

  it('is refused with a field called `__proto__`', async () => {
    const [status, errors] = errorsOf(await post('{"fields":{"__proto__":{"type":"String"}},"settings":{}}'));
    expect([status, errors]).toEqual([400, expect.stringContaining('__proto__')]);
  });

  it.each([
    ...[
      '/token/a/b',
      '/hello/a/b',
      '/health/a/b',
      '/docs/a/b',
      '/metrics/a/b',
      '/media/a/b',
      '/favicon.ico/a/b',
    ],
    ...[
      '/1.0/admin/b',
      '/1.0/local/b',
      '/1.0/config/b',
      '/1.0/a/system.x',
      '/1.0/a.b/c',
      `/1.0/${'x'.repeat(64)}/c`,
    ],
    ...['/1.0/a/cloister.x', '/1.0/LIBRARY/probe2', '/1.0/library/PROBE'],
  ])('is refused at %s', async (path) => {
    await post(field({}));
    expect((await post(field({}), path)).status).toBe(400);
  });

  it('lies in a file of its address, with two spaces', async () => {
    await post(field({ type: 'Number' }));
    const file = join(app.workspace.path, 'collections', '1.0', 'library', 'collection.probe.json');
    const text = readFileSync(file, 'utf8');
    expect(text.startsWith('{\n  "fields": {\n    "a": {\n      "type": "Number"\n')).toBe(true);
    await app.inject('DELETE', `${PATH}/config`);
    expect(() => readFileSync(file)).toThrow('ENOENT');
  });
});

describe('versions', () => {
  it('of one collection share documents and indexes', async () => {
    const fields = { name: {}, isbn: {} };
    const unique = { index: { keys: { isbn: 1 }, options: { unique: true } } };
    const one = await makeShelf(app, '/1.0/library/shared', { fields });
    const two = await makeShelf(app, '/2.0/library/shared', { fields, settings: unique });
    const [{ _id }] = await one.add({ name: 'a', isbn: '1' });
    expect((await two.get({}, `/${_id}`)).body.results[0].apiVersion).toBe('1.0');
    const updated = await app.inject('PUT', `${two.path}/${_id}`, { body: { name: 'b' } });
    expect(updated.body.results[0].apiVersion).toBe('2.0');
    const again = await app.inject('POST', one.path, { body: { name: 'c', isbn: '1' } });
    expect([again.status, again.body.errors]).toEqual([
      400,
      [{ field: 'isbn', message: 'must be unique', code: 'ERROR_UNIQUE' }],
    ]);
    await app.inject('DELETE', `${two.path}/config`);
    expect((await app.inject('POST', one.path, { body: { isbn: '1' } })).status).toBe(200);
  });
});

describe('the listing', () => {
  it('has text members for every collection', async () => {
    await makeShelf(app, '/1.0/listed/named', { fields: { a: {} }, settings: { displayName: 'Named so' } });
    await makeShelf(app, '/1.0/listed/plain', { fields: { a: {} } });
    const { status, body } = await app.inject('GET', '/api/collections');
    const listed = body.collections.filter(({ database }: { database: string }) => database === 'listed');
    const [named, plain] = listed;
    expect([status, Object.keys(body)]).toEqual([200, ['collections']]);
    expect(named).toMatchObject({
      version: '1.0',
      database: 'listed',
      name: 'Named so',
      slug: 'named',
      path: '/1.0/listed/named',
    });
    expect(plain).toMatchObject({ name: 'plain', slug: 'plain' });
    const post = await app.inject('POST', '/api/collections', { body: {} });
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});
