// Conditions on writes over the whole application: which states they name, and where they cannot hold.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { createTestCollection, type TestCollection } from '../helpers/app/site.ts';

const PATH = '/1.0/library/items';

let app: TestApp;
let items: TestCollection;

beforeAll(async () => {
  app = await startApp({ specs: {} });
  items = await createTestCollection(app, PATH, {
    fields: { name: { required: true }, n: { type: 'Number' } },
  });
});

afterAll(() => app.close());

describe('If-Match', () => {
  it.each(['1', '"1"', '*', 'etag'])('%s names the state', async (given) => {
    const [{ _id }] = await items.add({ name: 'a' });
    const { headers } = await items.get({ fields: { name: 1 } }, `/${_id}`);
    const tag = given === 'etag' ? String(headers['etag']) : given;
    const send = (method: string, body?: unknown) =>
      app.inject(method, `${PATH}/${_id}`, { body, headers: { 'if-match': tag } });
    expect((await send('PUT', { n: 1 })).status).toBe(200);
    const stale = await send('DELETE');
    expect(stale.status).toBe(given === '*' ? 204 : 412);
    if (given !== '*') expect(stale.body.errors[0].code).toBe('PRECONDITION_FAILED');
  });

  it('and If-None-Match are refused where they cannot hold', async () => {
    const [{ _id }] = await items.add({ name: 'a' });
    const byQuery = { query: { name: 'a' }, update: { n: 1 } };
    const writes: readonly (readonly [method: string, path: string, body: unknown])[] = [
      ['PUT', PATH, byQuery],
      ['POST', PATH, byQuery],
      ['DELETE', PATH, { query: { name: 'a' } }],
      ['POST', '/api/config', {}],
      ['POST', '/api/clients', { clientId: 'nobody' }],
    ];
    for (const [method, path, body] of writes) {
      for (const field of ['If-Match', 'If-None-Match']) {
        const answer = await app.inject(method, path, { body, headers: { [field.toLowerCase()]: '*' } });
        expect([method, path, answer.status, answer.body.errors?.[0].field]).toEqual([
          method,
          path,
          400,
          field,
        ]);
      }
    }
    const create = (name: string) =>
      app.inject('POST', PATH, { body: { name: 'b' }, headers: { [name]: '*' } });
    expect((await create('if-match')).body.errors[0].field).toBe('If-Match');
    expect((await create('if-none-match')).status).toBe(200);
    expect((await items.get({}, `/${_id}`)).body.results[0].v).toBe(1);
  });

  it('must be well-formed; If-None-Match keeps a write from what is there', async () => {
    const [{ _id }] = await items.add({ name: 'a' });
    const send = async (method: string, headers: Record<string, string>) =>
      (await app.inject(method, `${PATH}/${_id}`, { body: { n: 1 }, headers })).status;
    for (const method of ['PUT', 'POST', 'DELETE']) {
      expect(await send(method, { 'if-match': 'x' })).toBe(400);
      expect(await send(method, { 'if-none-match': '*' })).toBe(412);
      expect(await send(method, { 'if-none-match': '"1"' })).toBe(412);
    }
    expect(await send('PUT', { 'if-none-match': '"7"' })).toBe(200);
  });
});
