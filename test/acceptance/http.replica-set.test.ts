// What holds for every address: order of refusals, content types, envelopes, methods, paths, CORS.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { book, LIBRARY } from '../helpers/fixtures/library.ts';
import { statusBeforeBody } from '../helpers/server-process/client.ts';

const BOOKS = '/1.0/library/books';
const UNKNOWN = '0123456789abcdef01234567';

let app: TestApp;
let id: string;

beforeAll(async () => {
  app = await startApp({
    config: { cors: true },
    specs: { ...LIBRARY, '1.0/library/jsonp': { fields: { title: {} }, settings: { callback: 'show' } } },
  });
  id = (await app.inject('POST', BOOKS, { body: book(1) })).body.results[0]._id;
});

afterAll(() => app.close());

describe('authentication', () => {
  it('comes before the body is read, and before it is judged', async () => {
    const url = await app.listen();
    const headers = { 'content-type': 'application/json', 'content-length': '100000000' };
    expect(await statusBeforeBody(`${url}${BOOKS}`, headers)).toBe(401);
    const odd = { 'content-type': 'application/xml', 'content-encoding': 'br' };
    for (const path of [BOOKS, `${BOOKS}/config`, '/api/config', '/api/clients', '/api/flush', '/nowhere']) {
      const refused = await app.inject('POST', path, { token: null, body: '{', headers: odd });
      expect([path, refused.status]).toEqual([path, 401]);
    }
  });
});

describe('a body', () => {
  const send = (method: string, path: string, type: string, more: object = {}) =>
    app.inject(method, path, { body: '{"title":"x"}', headers: { 'content-type': type, ...more } });

  it.each([
    ['POST', BOOKS, ''],
    ['PUT', `${BOOKS}/ID`, ''],
    ['DELETE', BOOKS, ''],
    ['POST', BOOKS, 'application/xml'],
    ['POST', BOOKS, 'application/x-www-form-urlencoded'],
    ['POST', BOOKS, 'multipart/form-data; boundary=x'],
    ['POST', BOOKS, 'application/json; charset=latin1'],
    ['POST', BOOKS, 'nonsense'],
    ['POST', '/1.0/library/fresh/config', 'application/javascript'],
    ['POST', '/api/clients', 'text/plain'],
    ['POST', '/api/flush', 'text/plain'],
    ['POST', '/token', 'text/plain'],
  ])('of %s %s with the type "%s" is 415', async (method, path, type) => {
    const refused = await send(method, path.replace('ID', id), type);
    expect([refused.status, refused.body.statusCode, refused.body.success]).toEqual([415, 415, false]);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])('coded as %s is 415', async (coding) => {
    expect((await send('POST', BOOKS, 'application/json', { 'content-encoding': coding })).status).toBe(415);
  });

  it.each(['application/json', 'application/json; charset=UTF-8', 'text/plain', 'text/plain;charset=utf-8'])(
    'of documents may be %s',
    async (type) => {
      expect((await send('POST', BOOKS, type, { 'content-encoding': 'identity' })).status).toBe(200);
      expect((await send('PUT', `${BOOKS}/${id}`, type)).status).toBe(200);
    },
  );

  it('that is not there needs no type', async () => {
    expect((await app.inject('POST', '/api/status')).status).toBe(200);
    expect((await app.inject('DELETE', `${BOOKS}/${UNKNOWN}`)).status).toBe(404);
    const typed = { headers: { 'content-type': 'application/json' } };
    expect((await app.inject('DELETE', `${BOOKS}/${UNKNOWN}`, typed)).status).toBe(404);
    expect((await app.inject('POST', BOOKS)).status).toBe(400);
  });

  it.each([
    '{',
    '',
    '[',
    '{"title":}',
    '\u0000',
    '{"title":"x"} y',
    '{"__proto__":{"a":1}}',
    '{"title":1e999}',
  ])('that reads %j is 400 and is not sent back', async (body) => {
    const refused = await app.inject('POST', BOOKS, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect([refused.status, refused.body.success]).toEqual([400, false]);
    expect(refused.body).not.toHaveProperty('body');
  });
});

describe('a query parameter', () => {
  const names =
    'filter count page skip sort sortOrder fields compose includeHistory historyFilters cache callback';

  it.each(names.split(' '))('%s is 400 when given twice', async (name) => {
    for (const path of [BOOKS, `${BOOKS}/${id}`, `${BOOKS}/count`, `${BOOKS}/${id}/history`]) {
      const { status, body } = await app.inject('GET', `${path}?${name}=1&${name}=1`);
      expect([status, body.errors[0].code, body.errors[0].field]).toEqual([400, 'Invalid Parameter', name]);
    }
  });

  it('that is unknown is ignored, however often', async () => {
    expect((await app.inject('GET', `${BOOKS}?a=1&a=2&b&=&%61=3`)).status).toBe(200);
  });

  it('that does not decode is 400', async () => {
    for (const query of ['filter=%', 'filter=%zz', 'count=%ff', '%E0%A4%A=1']) {
      expect((await app.inject('GET', `${BOOKS}?${query}`)).status, query).toBe(400);
    }
  });
});

describe('404 of a document', () => {
  it.each([
    ['GET', '', undefined],
    ['PUT', '', { title: 'x' }],
    ['DELETE', '', undefined],
    ['GET', '/history', undefined],
  ])('by %s …%s has the envelope, results and metadata in one body', async (method, rest, body) => {
    const { status, body: answer } = await app.inject(method, `${BOOKS}/${UNKNOWN}${rest}`, { body });
    expect(status).toBe(404);
    expect(answer).toMatchObject({
      statusCode: 404,
      success: false,
      errors: [{ message: 'No document has this id' }],
      results: [],
      metadata: { totalCount: 0, totalPages: 0 },
    });
  });

  it.each(['abc', '0123456789abcdef0123456', `${UNKNOWN}0`, 'config2', '%00'])(
    'is plain for the id %s',
    async (odd) => {
      const { status, body } = await app.inject('GET', `${BOOKS}/${odd}`);
      expect([status, body.errors.length]).toEqual([404, 1]);
      expect(body).not.toHaveProperty('results');
    },
  );
});

describe('methods', () => {
  const READS = ['/hello', '/health', '/api/collections', '/api/config', '/api/status', '/api/clients'];

  it('HEAD is GET without the body', async () => {
    for (const path of [
      ...READS,
      BOOKS,
      `${BOOKS}/${id}`,
      `${BOOKS}/count`,
      `${BOOKS}/stats`,
      `${BOOKS}/config`,
    ]) {
      const head = await app.inject('HEAD', path);
      const get = await app.inject('GET', path);
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      for (const name of ['content-type', 'etag']) expect(head.headers[name], path).toBe(get.headers[name]);
    }
    const missing = await app.inject('HEAD', `${BOOKS}/${UNKNOWN}`);
    expect([missing.status, missing.text]).toEqual([404, '']);
  });

  it.each(['PATCH', 'PROPFIND', 'TRACE', 'LINK'])(
    '%s is 405 with Allow, after 401 and 404',
    async (method) => {
      for (const path of [
        ...READS,
        '/token',
        '/api/flush',
        '/favicon.ico',
        BOOKS,
        `${BOOKS}/${id}`,
        `${BOOKS}/config`,
      ]) {
        const { status, headers } = await app.inject(method, path);
        expect([path, status, headers['allow']]).toEqual([
          path,
          405,
          expect.stringMatching(/^[A-Z, ]+OPTIONS$/),
        ]);
      }
      expect((await app.inject(method, '/1.0/library/nothing')).status).toBe(404);
      expect((await app.inject(method, BOOKS, { token: null })).status).toBe(401);
    },
  );
});

describe('paths', () => {
  it('take one slash at their end', async () => {
    for (const path of [
      '/hello',
      '/health',
      '/api/status',
      '/api/config',
      BOOKS,
      `${BOOKS}/${id}`,
      `${BOOKS}/count`,
    ]) {
      expect((await app.inject('GET', `${path}/`)).status, path).toBe(200);
      expect((await app.inject('GET', `${path}//`)).status, path).toBe(404);
    }
  });

  it('mind the case', async () => {
    for (const path of [
      '/Hello',
      '/API/status',
      '/Token',
      '/1.0/Library/books',
      '/1.0/library/Books',
      `${BOOKS}/Count`,
    ]) {
      expect((await app.inject('GET', path)).status, path).toBe(404);
    }
    expect((await app.inject('GET', `${BOOKS}/${id.toUpperCase()}`)).status).toBe(200);
  });

  it.each('api token hello health metrics media favicon.ico'.split(' '))(
    '%s is no version',
    async (version) => {
      const body = { fields: { a: {} }, settings: {} };
      const refused = await app.inject('POST', `/${version}/library/x/config`, { body });
      expect([refused.status, refused.body.errors[0].field]).toEqual([400, 'version']);
      expect((await app.inject('GET', `/${version}/library/x`)).status).toBe(404);
    },
  );

  it.each(['admin', 'docs'])('%s is the path of a page, and no version', async (version) => {
    const body = { fields: { a: {} }, settings: {} };
    const refused = await app.inject('POST', `/${version}/library/x/config`, { body });
    expect([refused.status, refused.headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    expect((await app.inject('POST', `/${version}/library/x`, { body: {} })).status).toBe(405);
  });
});

describe('JSONP', () => {
  it('wraps lists and documents, and nothing else', async () => {
    for (const path of [BOOKS, `${BOOKS}/${id}`]) {
      const plain = await app.inject('GET', path);
      const { status, text, headers } = await app.inject('GET', `${path}?callback=abc`);
      expect([status, text]).toEqual([200, `abc(${plain.text});`]);
      expect(headers['content-type']).toMatch(/^text\/javascript/);
      expect(headers['x-content-type-options']).toBe('nosniff');
      const bad = await app.inject('GET', `${path}?callback=a.b`);
      expect([bad.status, bad.body.errors[0].title]).toEqual([400, 'Invalid Callback Parameter Provided']);
    }
    const refused = await app.inject('GET', `${BOOKS}?callback=abc&skip=-1`);
    expect([refused.status, refused.body.success]).toEqual([400, false]);
    expect((await app.inject('GET', '/1.0/library/jsonp')).text).toMatch(/^show\(\{.*\}\);$/);
    expect((await app.inject('GET', '/1.0/library/jsonp?callback=other')).text).toMatch(/^other\(/);
  });
});

describe('CORS with every origin', () => {
  it('reflects who asks, and is open to those who do not say', async () => {
    const headers = { origin: 'https://a.example' };
    for (const path of [BOOKS, '/hello', '/nowhere', `${BOOKS}?skip=-1`]) {
      const answer = await app.inject('GET', path, { headers });
      expect(answer.headers['access-control-allow-origin'], path).toBe('https://a.example');
      expect(answer.headers['vary']).toContain('Origin');
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    }
    expect((await app.inject('GET', BOOKS)).headers['access-control-allow-origin']).toBe('*');
  });

  it('answers a preflight with 204 before authentication', async () => {
    const headers = {
      origin: 'https://a.example',
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization, content-type',
    };
    for (const path of [BOOKS, '/token', '/api/config', `${BOOKS}/${id}`]) {
      const answer = await app.inject('OPTIONS', path, { token: null, headers });
      expect([path, answer.status, answer.text]).toEqual([path, 204, '']);
      expect(answer.headers['access-control-allow-headers']).toBe('authorization, content-type');
      expect(answer.headers['access-control-allow-methods']).toContain('PUT');
    }
  });
});
