import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { sendRaw, statusBeforeBody } from '../helpers/server-process/client.ts';

let app: TestApp;
let url: string;

beforeAll(async () => {
  app = await startApp({
    config: { limits: { jsonBytes: 2000 } },
  });
  url = await app.listen();
});

afterAll(() => app.close());

describe('every response', () => {
  it.each([
    ['GET', '/hello'],
    ['GET', '/nowhere'],
    ['GET', '/%zz'],
    ['PATCH', '/api/config'],
    ['DELETE', '/1.0/library/books'],
    ['GET', '/favicon.ico'],
  ])('of %s %s carries the common headers', async (method, path) => {
    const { headers } = await app.inject(method, path);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{24}$/);
    expect(headers['server']).toEqual(expect.any(String));
  });

  it('with an error is the envelope', async () => {
    for (const path of ['/%', '/%ff', '/1.0/%zz/books', `/hello?${'x'.repeat(17_000)}`, '/nowhere']) {
      const { status, body, headers } = await app.inject('GET', path);
      expect(status, path).toBeGreaterThanOrEqual(400);
      expect(headers['content-type']).toBe('application/json');
      expect(body).toEqual({ statusCode: status, success: false, errors: [expect.objectContaining({})] });
      expect(body.errors[0].message).toEqual(expect.any(String));
    }
  });
});

describe('paths', () => {
  it('may end in one slash, and are case-sensitive', async () => {
    const status = async (path: string) => (await app.inject('GET', path)).status;
    expect(await status('/1.0/library/books/')).toBe(200);
    expect(await status('/1.0/library/books//')).toBe(404);
    expect(await status('/1.0/library/Books')).toBe(404);
    expect(await status('/API/collections')).toBe(404);
    expect(await status('/api/collections/')).toBe(200);
  });

  it('of two segments are unknown, and so are long ones', async () => {
    expect((await app.inject('GET', '/1.0/report')).status).toBe(404);
    expect((await app.inject('GET', '/1.0/report', { token: null })).status).toBe(401);
    expect((await app.inject('GET', `/1.0/${'x'.repeat(5000)}/books`)).status).toBe(404);
  });
});

describe('the order of errors', () => {
  const wrong = { 'content-type': 'application/xml', 'content-encoding': 'gzip' };
  const large = 'x'.repeat(5000);

  it('is 401, 404, 405, 415, 413, 400', async () => {
    const ask = async (method: string, path: string, options: object) =>
      (await app.inject(method, path, { headers: wrong, body: large, ...options })).status;
    expect(await ask('PATCH', '/1.0/library/books', { token: null })).toBe(401);
    expect(await ask('PATCH', '/1.0/library/nothing', {})).toBe(404);
    expect(await ask('PATCH', '/1.0/library/books', {})).toBe(405);
    expect(await ask('POST', '/1.0/library/books', {})).toBe(415);
    const json = { 'content-type': 'application/json' };
    expect(await ask('POST', '/1.0/library/books', { headers: json })).toBe(413);
    expect(await ask('POST', '/1.0/library/books', { headers: json, body: 'x' })).toBe(400);
  });

  it('rejects a large request before its body has arrived', async () => {
    const token = await app.adminToken();
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': '1000000',
    };
    expect(await statusBeforeBody(`${url}/1.0/library/books`, headers)).toBe(413);
  });
});

describe('on the wire', () => {
  it('an unknown method is 405', async () => {
    expect(await sendRaw(url, 'GRAB / HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
      /^HTTP\/1.1 405 .*"statusCode":405/s,
    );
  });

  it('unknown expectations are ignored', async () => {
    const answer = await sendRaw(
      url,
      'GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\nExpect: wonders\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });

  it('a missing Host is 400 in the envelope', async () => {
    const answer = await sendRaw(url, 'GET /hello HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 400 .*"success":false/s);
  });
});

describe('the address of a client', () => {
  const guess = async (trustProxy: boolean | number | string[]) => {
    const proxied = await startApp({
      config: { server: { trustProxy }, auth: { rateLimit: { perClient: 2 } } },
    });
    const attempts = Array.from({ length: 3 }, (_, n) =>
      proxied.inject('POST', '/token', {
        token: null,
        body: { clientId: 'guessed', secret: 'wrong' },
        headers: { 'x-forwarded-for': `203.0.113.${n}` },
      }),
    );
    const answers = await Promise.all(attempts);
    await proxied.close();
    return answers.filter(({ status }) => status === 429).length;
  };

  it('is that of the socket, unless a proxy is trusted', async () => {
    expect(await guess(false)).toBe(1);
    expect(await guess(1)).toBe(0);
    expect(await guess(['loopback'])).toBe(0);
    expect(await guess(['10.0.0.0/8'])).toBe(1);
  });
});
