import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

const SPEC = { fields: { title: { type: 'String', required: true, unknown: 1 } }, settings: {} };

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

const config = (method: string, name: string, options: object = {}) =>
  app.inject(method, `/1.0/library/${name}/config`, options);

describe('a specification over HTTP', () => {
  it('is created, used at once, read, replaced, removed; the documents stay', async () => {
    const created = await config('POST', 'notes', { body: SPEC });
    const warnings = ['fields.title: `unknown` is no attribute and has no effect'];
    expect([created.status, created.body]).toEqual([
      200,
      { result: 'success', message: 'notes collection created', warnings },
    ]);
    expect((await app.inject('POST', '/1.0/library/notes', { body: { title: 'a' } })).status).toBe(200);
    expect((await config('GET', 'notes')).body).toMatchObject(SPEC);

    const replaced = await config('POST', 'notes', { body: { ...SPEC, settings: { count: 7 } } });
    expect([replaced.status, replaced.body]).toEqual([200, { result: 'success', warnings }]);
    expect((await app.inject('GET', '/1.0/library/notes')).body.metadata.limit).toBe(7);

    const removed = await config('DELETE', 'notes');
    expect([removed.status, removed.body]).toEqual([
      200,
      { result: 'success', message: 'notes collection removed', warnings: [] },
    ]);
    expect((await app.inject('GET', '/1.0/library/notes')).status).toBe(404);
    expect((await config('GET', 'notes')).status).toBe(404);
    expect((await config('DELETE', 'notes')).status).toBe(404);

    await config('POST', 'notes', { body: SPEC });
    expect((await app.inject('GET', '/1.0/library/notes')).body.results).toHaveLength(1);
  });

  it.each([
    ['1.0/admin/notes', 'database'],
    ['1.0/LOCAL/notes', 'database'],
    ['1.0/shop.eu/notes', 'database'],
    [`1.0/${'x'.repeat(64)}/notes`, 'database'],
    ['1.0/Library/notes', 'database'],
    ['1.0/library/system.notes', 'collection'],
    ['1.0/library/notes.', 'collection'],
    [`1.0/${'x'.repeat(60)}/${'y'.repeat(195)}`, 'collection'],
  ])('is rejected if a store cannot hold the name: %s', async (path, field) => {
    const { status, body } = await app.inject('POST', `/${path}/config`, { body: SPEC });
    expect([status, body.errors.map((item: { field: string }) => item.field)]).toEqual([400, [field]]);
    expect((await app.inject('GET', `/${path}/config`)).status).toBe(404);
  });

  it('can be sent as plain text', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await config('POST', 'plain', { body: JSON.stringify(SPEC), headers })).status).toBe(200);
    expect((await config('POST', 'plain', { body: 'no JSON', headers })).status).toBe(400);
  });

  it.each([
    ['an empty object', {}, 'fields', 'must be provided at least once'],
    ['no fields', { fields: {}, settings: {} }, 'fields', 'must include at least one field'],
    ['no settings', { fields: { a: {} } }, 'settings', 'must be provided'],
  ])('is rejected with %s', async (_name, body, section, message) => {
    const { status, body: answer } = await config('POST', 'broken', { body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ statusCode: 400, success: false });
    expect(answer.errors).toContainEqual(expect.objectContaining({ section, message }));
    expect((await config('GET', 'broken')).status).toBe(404);
  });

  it.each(['[]', 'null', '5', undefined])('is refused with the body %s', async (body) => {
    expect((await config('POST', 'broken', { body })).status).toBe(400);
  });

  it.each([
    '/api/x/y/config',
    '/1.0/li..b/y/config',
    '/1.0/library/a%2Fb/config',
    '/1.0/library/.hidden/config',
  ])('is rejected at %s', async (path) => {
    const { status } = await app.inject('POST', path, { body: SPEC });
    expect(status).toBe(400);
  });

  it('is for admins, also where the documents are public', async () => {
    await config('POST', 'open', { body: { ...SPEC, settings: { authenticate: false } } });
    expect((await app.inject('GET', '/1.0/library/open', { token: null })).status).toBe(200);
    const token = await app.userToken('plain');
    for (const method of ['GET', 'POST', 'DELETE', 'PUT']) {
      expect((await config(method, 'open', { token: null })).status).toBe(401);
      const { status, headers } = await config(method, 'open', { token });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/1.0/library/open/config"']);
    }
  });

  it('supports no other method', async () => {
    const { status, headers } = await config('PUT', 'books', { body: SPEC });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST, DELETE, OPTIONS']);
  });
});
