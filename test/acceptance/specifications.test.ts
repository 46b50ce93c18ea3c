// Specifications over HTTP: what is refused and how, what is kept, and that a refusal changes nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { book, LIBRARY } from '../helpers/fixtures/library.ts';

const BOOKS = '/1.0/library/books';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ specs: LIBRARY });
  await app.inject('POST', BOOKS, { body: [book(1), book(2, { pages: 101 }), book(3, { pages: 101 })] });
});

afterAll(() => app.close());

const post = (path: string, body: unknown) => app.inject('POST', `${path}/config`, { body });
const fileOf = (path: string) => {
  const [version, database, name] = path.slice(1).split('/');
  return join(app.workspace.path, `collections/${version}/${database}/collection.${name}.json`);
};

describe('a specification', () => {
  it('is kept as it was posted, in a file too, with the time', async () => {
    const path = '/2.0/library/notes';
    const body = {
      fields: { text: { label: 'Text', placement: 'main', display: { index: true, edit: false }, odd: [1] } },
      settings: { publish: { group: 'a' }, description: 'Notes', odd: { a: 1 }, lastModifiedAt: 5 },
      extra: true,
    };
    const from = Date.now();
    const created = await post(path, body);
    const warnings = [
      'fields.text: `odd` is no attribute and has no effect',
      'settings: `publish` has no effect',
      'settings: `description` has no effect',
      'settings: `odd` has no effect',
    ];
    expect([created.status, created.body]).toEqual([
      200,
      { result: 'success', message: 'notes collection created', warnings },
    ]);
    const { body: read } = await app.inject('GET', `${path}/config`);
    expect(read).toEqual({ ...body, settings: { ...body.settings, lastModifiedAt: expect.any(Number) } });
    expect(read.settings.lastModifiedAt).toBeGreaterThanOrEqual(from);
    expect(readFileSync(fileOf(path), 'utf8')).toBe(`${JSON.stringify(read, null, 2)}\n`);
    const again = await post(path, read);
    expect([again.status, again.body]).toEqual([200, { result: 'success', warnings }]);
    const removed = await app.inject('DELETE', `${path}/config`);
    expect(removed.body).toEqual({ result: 'success', message: 'notes collection removed', warnings: [] });
    expect(existsSync(fileOf(path))).toBe(false);
  });

  it('needs no settings but the block, and allows a sort without an index', async () => {
    expect((await post('/1.0/library/least', { fields: { a: {} }, settings: {} })).status).toBe(200);
    const settings = { sort: 'a', index: [], revisionCollection: null, callback: null, hooks: {} };
    expect((await post('/1.0/library/least', { fields: { a: {} }, settings })).status).toBe(200);
  });

  it('is in force when its answer is sent, however many come at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `/1.0/library/many${n}`);
    const statuses = await Promise.all(
      names.map(async (path) => {
        await post(path, { fields: { a: {} }, settings: { count: 7 } });
        const { status, body } = await app.inject('GET', path);
        return [status, body.metadata.limit];
      }),
    );
    expect(statuses).toEqual(names.map(() => [200, 7]));
  });
});

describe('a refused specification', () => {
  const fields = { a: {} };
  const unique = (keys: JsonObject, options: JsonObject = { unique: true }) => ({
    fields: LIBRARY['1.0/library/books']?.['fields'],
    settings: { index: [{ keys, options }] },
  });
  const refusals: readonly (readonly [string, string, unknown, JsonObject])[] = [
    [
      'without fields',
      '/1.0/library/bad',
      { settings: {} },
      { section: 'fields', message: 'must be provided at least once' },
    ],
    [
      'with empty fields',
      '/1.0/library/bad',
      { fields: {}, settings: {} },
      { section: 'fields', message: 'must include at least one field' },
    ],
    [
      'without settings',
      '/1.0/library/bad',
      { fields },
      { section: 'settings', message: 'must be provided' },
    ],
    [
      'with an unknown type',
      '/1.0/library/bad',
      { fields: { a: { type: 'Text' } }, settings: {} },
      { section: 'fields', field: 'a' },
    ],
    [
      'with a removed rule',
      '/1.0/library/bad',
      { fields: { a: { limit: 5 } }, settings: {} },
      { section: 'fields', field: 'a', message: '`limit` was removed: use `validation.maxLength`' },
    ],
    [
      'with a broken pattern',
      '/1.0/library/bad',
      { fields: { a: { validation: { regex: { pattern: '(' } } } }, settings: {} },
      { section: 'fields', field: 'a' },
    ],
    [
      'with the field _id',
      '/1.0/library/bad',
      { fields: { _id: {} }, settings: {} },
      { section: 'fields', field: '_id' },
    ],
    [
      'with the field createdAt',
      '/1.0/library/bad',
      { fields: { createdAt: {} }, settings: {} },
      { section: 'fields', field: 'createdAt' },
    ],
    [
      'with a dotted field',
      '/1.0/library/bad',
      { fields: { 'a.b': {} }, settings: {} },
      { section: 'fields', field: 'a.b' },
    ],
    [
      'with a count that is none',
      '/1.0/library/bad',
      { fields, settings: { count: -1 } },
      { section: 'settings', setting: 'count' },
    ],
    [
      'with methods that are none',
      '/1.0/library/bad',
      { fields, settings: { authenticate: ['GRAB'] } },
      { section: 'settings', setting: 'authenticate' },
    ],
    [
      'with a partial unique index',
      '/1.0/library/bad',
      {
        fields,
        settings: { index: [{ keys: { a: 1 }, options: { unique: true, partialFilterExpression: {} } }] },
      },
      { section: 'settings' },
    ],
    [
      'with a default filter of unknown fields',
      '/1.0/library/bad',
      { fields, settings: { defaultFilters: { b: 1 } } },
      { section: 'settings', setting: 'defaultFilters' },
    ],
    [
      'that takes the name of a collection in another case',
      '/1.0/library/BOOKS',
      { fields, settings: {} },
      { field: 'collection' },
    ],
    ['in a reserved database', '/1.0/admin/bad', { fields, settings: {} }, { field: 'database' }],
    ['in a database with a dot', '/1.0/a.b/bad', { fields, settings: {} }, { field: 'database' }],
    [
      'in a database with a long name',
      `/1.0/${'d'.repeat(64)}/bad`,
      { fields, settings: {} },
      { field: 'database' },
    ],
    [
      'with a long name',
      `/1.0/library/${'c'.repeat(250)}`,
      { fields, settings: {} },
      { field: 'collection' },
    ],
    ['whose unique index the documents break', BOOKS, unique({ pages: 1 }), { field: 'pages' }],
    ['whose unique index meets two missing values', BOOKS, unique({ isbn: 1 }), { field: 'isbn' }],
  ];

  it.each(refusals)('%s is 400 and changes nothing', async (_name, path, body, item) => {
    const before = await app.inject('GET', `${path}/config`);
    // Their names: the bytes on a disk move by themselves.
    const indexes = async () =>
      Object.keys((await app.inject('GET', `${BOOKS}/stats`)).body.indexSizes).sort();
    const indexesBefore = await indexes();
    const refused = await post(path, body);
    expect(refused.status, refused.text).toBe(400);
    expect(refused.body).toMatchObject({ statusCode: 400, success: false });
    expect(refused.body.errors).toContainEqual(expect.objectContaining(item));
    for (const { message } of refused.body.errors) expect(message).toEqual(expect.any(String));
    const after = await app.inject('GET', `${path}/config`);
    expect([after.status, after.body]).toEqual([before.status, before.body]);
    expect(await indexes()).toEqual(indexesBefore);
    expect(existsSync(fileOf(path))).toBe(before.status === 200);
    expect((await app.inject('POST', BOOKS, { body: book(1) })).status).toBe(200);
  });

  it('with a sparse unique index over missing values is none', async () => {
    expect((await post(BOOKS, unique({ isbn: 1 }, { unique: true, sparse: true }))).status).toBe(200);
    const one = await app.inject('POST', BOOKS, { body: book(4, { isbn: '0-123456789' }) });
    expect(one.status, one.text).toBe(200);
    const two = await app.inject('POST', BOOKS, { body: book(5, { isbn: '0-123456789' }) });
    expect([two.status, two.body.errors]).toEqual([
      400,
      [{ field: 'isbn', message: 'must be unique', code: 'ERROR_UNIQUE' }],
    ]);
  });
});
