// Cross-origin pages read every answer that the server makes, refusals included that come before anything else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';

const SITE = 'https://site.example';
const LONG = `/1.0/library/books?filter=${'x'.repeat(17_000)}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    specs: { '1.0/library/books': { fields: { title: { type: 'String' } }, settings: {} } },
    config: { cors: { enabled: true, origins: [SITE] } },
  });
});
afterAll(() => app.close());

const ask = (method: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  app.inject(method, path, { headers: { origin: SITE, ...headers } });

test.each([
  ['GET', LONG, 414],
  ['GET', '/1.0/library/%zz', 400],
  ['GET', '/%', 400],
  ['PURGE', '/1.0/library/books', 405],
  ['GET', '/1.0/nowhere/books', 404],
  ['GET', '/1.0/library/books?filter={', 400],
  ['GET', '/1.0/library/books?%zz', 400],
])('a refusal of %s %.40s carries the headers', async (method, path, status) => {
  const answer = await ask(method, path);
  expect(answer.status).toBe(status);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': SITE,
    'access-control-expose-headers': expect.stringContaining('X-Request-Id'),
    vary: expect.stringContaining('Origin'),
  });
  expect(answer.headers['x-request-id']).toBeTypeOf('string');
});

test.each([[LONG], ['/1.0/library/%zz'], ['/%'], ['/1.0/library/books']])(
  'a preflight of %.40s is 204, whatever the request will be',
  async (path) => {
    const asked = {
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization',
    };
    const answer = await ask('OPTIONS', path, asked);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': SITE,
      'access-control-allow-methods': expect.stringContaining('PUT'),
      'access-control-allow-headers': 'authorization',
      'content-length': '0',
    });
  },
);

test('a preflight of another origin is told nothing', async () => {
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'PUT' };
  const answer = await app.inject('OPTIONS', LONG, { headers });
  expect(answer.headers['access-control-allow-origin']).toBeUndefined();
});
