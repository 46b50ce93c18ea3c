import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../helpers/app/app.ts';
import { byTitle, createTitled, PATH, startDocumentApp, UNKNOWN } from './document-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startDocumentApp();
});

afterAll(() => app.close());

const create = (title: string, path = PATH) => createTitled(app, title, path);

describe('reading documents', () => {
  it('lists them with metadata', async () => {
    await create('listed');
    const { status, headers, body } = await app.inject('GET', PATH + byTitle('LISTED'));
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    expect(body.results).toMatchObject([
      { title: 'listed', v: 1, apiVersion: '1.0', createdBy: expect.any(String) },
    ]);
    expect(body.metadata).toMatchObject({ limit: 40, page: 1, offset: 0, totalCount: 1, totalPages: 1 });
  });

  it('finds one by its id in either case, in the same envelope', async () => {
    const { _id } = await create('by id');
    const { body } = await app.inject('GET', `${PATH}/${_id.toUpperCase()}`);
    expect(body.results).toMatchObject([{ _id, title: 'by id' }]);
    expect(body.metadata).toMatchObject({ totalCount: 1 });
  });

  it('answers an unknown id with 404, the envelope and empty results', async () => {
    const { status, body } = await app.inject('GET', `${PATH}/${UNKNOWN}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({
      statusCode: 404,
      success: false,
      errors: [{ message: expect.any(String) }],
      results: [],
      metadata: { totalCount: 0 },
    });
    expect((await app.inject('GET', `${PATH}/not-an-id`)).status).toBe(404);
  });

  it('answers the same URL to each client by its own rights, whoever asked before', async () => {
    const body = { title: 'rights', author: { name: 'Ann' } };
    const { _id } = (await app.inject('POST', PATH, { body })).body.results[0];
    const reader = await app.userToken('reader', { collections: [{ path: 'books' }] });
    const other = await app.userToken('other', { collections: [{ path: 'people' }] });
    for (const url of [`${PATH}${byTitle('rights')}&compose=true`, `${PATH}/${_id}?compose=true`]) {
      const ask = async (token?: string | null) => {
        const answer = await app.inject('GET', url, token === undefined ? {} : { token });
        return [answer.status, answer.body.results?.[0]?.author];
      };
      for (let turn = 0; turn < 2; turn += 1) {
        expect(await ask()).toEqual([200, expect.objectContaining({ name: 'Ann' })]);
        expect(await ask(reader)).toEqual([200, expect.stringMatching(/^[0-9a-f]{24}$/)]);
        expect(await ask(other)).toEqual([401, undefined]);
        expect(await ask(null)).toEqual([401, undefined]);
      }
    }
  });

  it('counts, and tells statistics', async () => {
    await create('counted');
    const { body } = await app.inject('GET', `${PATH}/count${byTitle('counted')}`);
    expect(body).toEqual({ metadata: { limit: 40, totalCount: 1, totalPages: 1 } });
    const { body: stats } = await app.inject('GET', `${PATH}/stats`);
    expect(stats).toMatchObject({ count: expect.any(Number), size: expect.any(Number), indexSizes: {} });
  });

  it('tells the history of a document, also of a deleted one', async () => {
    const { _id } = await create('first');
    await app.inject('PUT', `${PATH}/${_id}`, { body: { title: 'second' } });
    await app.inject('DELETE', `${PATH}/${_id}`);
    const { status, body } = await app.inject('GET', `${PATH}/${_id}/history`);
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      { action: 'create', title: 'first', v: 1 },
      { action: 'update', title: 'second', v: 2 },
      { action: 'delete' },
    ]);
  });

  it('answers HEAD like GET', async () => {
    const get = await app.inject('GET', PATH);
    const head = await app.inject('HEAD', PATH);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers['etag']).toBe(get.headers['etag']);
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  it('refuses odd parameters by name, on every sub-path', async () => {
    const { _id } = await create('odd');
    for (const path of [PATH, `${PATH}/count`, `${PATH}/${_id}`, `${PATH}/${_id}/history`]) {
      for (const name of ['count', 'page', 'skip', 'filter']) {
        const { status, body } = await app.inject('GET', `${path}?${name}=%7Bx`);
        expect([status, body.errors[0].field], path).toEqual([400, name]);
      }
    }
  });
});

describe('JSONP', () => {
  it('calls the function that the request or the collection names', async () => {
    const { _id } = await create('x', '/1.0/library/jsonp');
    const { text, headers } = await app.inject('GET', `/1.0/library/jsonp/${_id}`);
    expect(text).toMatch(/^show\(\{"results":\[.*\}\);$/);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    expect((await app.inject('GET', `${PATH}?callback=mine`)).text).toMatch(/^mine\(/);
    expect((await app.inject('GET', `${PATH}?callback=a.b`)).status).toBe(400);
    const missing = await app.inject('GET', `/1.0/library/jsonp/${UNKNOWN}`);
    expect(missing.headers['content-type']).toBe('application/json');
  });

  it('is for lists and documents only', async () => {
    const { body } = await app.inject('GET', '/1.0/library/jsonp/count?callback=mine');
    expect(body).toMatchObject({ metadata: {} });
  });
});
