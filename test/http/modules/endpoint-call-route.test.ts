import { describe, expect, it } from 'vitest';
import { headOf, liveEndpoint, okResponse } from '../../modules/module-versions.ts';
import { startEndpointApp } from './endpoint-app.ts';

const REPORT = '/1.0/report';

describe('a call', () => {
  it('reaches the code with what the client sent, and its answer the client', async () => {
    const app = startEndpointApp({
      endpoints: [liveEndpoint('report')],
      run: () => okResponse('{"a":1}', [['Content-Type', 'application/json']]),
    });
    const answer = await app.ask('GET', `${REPORT}?a=1&a=2&b=%C3%BC`, { headers: { accept: 'text/html' } });
    expect([answer.status, answer.text]).toEqual([200, '{"a":1}']);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(headOf(app.jobs[0])).toEqual({
      method: 'GET',
      url: `${REPORT}?a=1&a=2&b=%C3%BC`,
      path: REPORT,
      params: {},
      query: { a: ['1', '2'], b: 'ü' },
      headers: expect.objectContaining({ accept: 'text/html' }),
      bodyType: 'none',
      client: null,
      ip: '127.0.0.1',
    });
  });

  it('carries the common headers and those that fence the answer in', async () => {
    const app = startEndpointApp({ endpoints: [liveEndpoint('report')] });
    const { headers } = await app.ask('GET', REPORT);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'x-request-id': expect.stringMatching(/^[0-9a-f]{24}$/),
      server: 'Cloister',
    });
  });

  it('is never cached by the server', async () => {
    const app = startEndpointApp({ endpoints: [liveEndpoint('report')] });
    const answers = [await app.ask('GET', REPORT), await app.ask('GET', REPORT)];
    expect(app.jobs).toHaveLength(2);
    expect(answers.map(({ headers }) => headers['x-cache'])).toEqual([undefined, undefined]);
  });

  it('may have a route of any depth, with parameters', async () => {
    const books = liveEndpoint('books', { path: '/1.0/shop/books/{id}/pages/{page}' });
    const app = startEndpointApp({ endpoints: [books] });
    expect((await app.ask('GET', '/1.0/shop/books/a%20b/pages/7/?x=1')).status).toBe(200);
    expect(headOf(app.jobs[0])).toMatchObject({
      params: { id: 'a b', page: '7' },
      path: '/1.0/shop/books/a%20b/pages/7/',
      query: { x: '1' },
    });
    expect((await app.ask('GET', '/1.0/books', { as: 'admin' })).status).toBe(404);
  });

  it.each([
    [Buffer.from([0, 255]), 'application/octet-stream'],
    ['text', 'text/plain; charset=utf-8'],
  ])('without a type is never taken for a page', async (body, type) => {
    const app = startEndpointApp({ endpoints: [liveEndpoint('report')], run: () => okResponse(body) });
    const { headers } = await app.ask('GET', REPORT);
    expect(headers['content-type']).toBe(type);
  });

  it.each([204, 304])('answered with %i has no body', async (status) => {
    const app = startEndpointApp({
      endpoints: [liveEndpoint('report')],
      run: () => ({ kind: 'response', status, headers: [['etag', '"a"']], body: 'ignored' }),
    });
    const answer = await app.ask('GET', REPORT);
    expect([answer.status, answer.text, answer.headers['etag']]).toEqual([status, '', '"a"']);
    expect(answer.headers['content-length']).toBeUndefined();
  });

  it('asked with HEAD has the length of the body, and no body', async () => {
    const app = startEndpointApp({ endpoints: [liveEndpoint('report')], run: () => okResponse('größe') });
    const answer = await app.ask('HEAD', REPORT);
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '7']);
    expect(headOf(app.jobs[0]).method).toBe('HEAD');
  });

  it('may set several cookies where they are granted', async () => {
    const app = startEndpointApp({
      endpoints: [liveEndpoint('report', {}, { responseHeaders: ['set-cookie'] })],
      run: () =>
        okResponse('', [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
        ]),
    });
    expect((await app.ask('GET', REPORT)).headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });
});

describe('methods', () => {
  const app = startEndpointApp({
    endpoints: [
      liveEndpoint('report'),
      liveEndpoint('all', { methods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] }),
      liveEndpoint('write', { methods: ['POST'] }),
    ],
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s has its handler',
    async (method) => {
      const before = app.jobs.length;
      expect((await app.ask(method, '/1.0/all')).status).toBe(200);
      expect(headOf(app.jobs[before]).method).toBe(method);
    },
  );

  it.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'TRACE'])('%s without a handler is 405', async (method) => {
    const answer = await app.ask(method, REPORT);
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
    expect(answer.body).toMatchObject({ statusCode: 405, success: false });
  });

  it('HEAD without get is 405', async () => {
    const answer = await app.ask('HEAD', '/1.0/write');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });

  it('OPTIONS without a handler tells the others', async () => {
    const answer = await app.ask('OPTIONS', REPORT);
    expect([answer.status, answer.headers['allow'], answer.text]).toEqual([
      204,
      'GET, POST, HEAD, OPTIONS',
      '',
    ]);
  });
});

describe('access', () => {
  const app = startEndpointApp({
    endpoints: [
      liveEndpoint('report', { authenticate: true }),
      liveEndpoint('half', { authenticate: ['POST'] }),
      liveEndpoint('broken', { authenticate: true, state: 'broken' }),
    ],
  });
  const status = async (method: string, path: string, as?: string) =>
    (await app.ask(method, path, as === undefined ? {} : { as })).status;

  it('needs a token where the module says so', async () => {
    const answer = await app.ask('GET', REPORT);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer, error="no_token", error_description="No access token supplied"',
    ]);
    expect(await status('GET', REPORT, 'user')).toBe(200);
    expect(await status('OPTIONS', REPORT)).toBe(401);
  });

  it('needs it for the listed methods only', async () => {
    expect(await status('GET', '/1.0/half')).toBe(200);
    expect(await status('POST', '/1.0/half')).toBe(401);
    expect(await status('POST', '/1.0/half', 'user')).toBe(200);
  });

  it('follows the permissions of the client', async () => {
    expect(await status('GET', REPORT, 'report-reader')).toBe(200);
    const denied = await app.ask('GET', `${REPORT}?a=1`, { as: 'book-reader' });
    expect([denied.status, denied.headers['www-authenticate']]).toEqual([401, 'Bearer realm="/1.0/report"']);
    expect(await status('GET', '/1.0/half', 'report-reader')).toBe(200);
    expect(await status('POST', '/1.0/half', 'report-reader')).toBe(401);
  });

  it('tells the code who calls', async () => {
    const before = app.jobs.length;
    await app.ask('GET', REPORT, { as: 'admin' });
    expect(headOf(app.jobs[before]).client).toEqual({ id: '1', clientId: 'boss', accessType: 'admin' });
  });

  it('comes before all else', async () => {
    expect(await status('PROPFIND', REPORT)).toBe(401);
    expect(await status('GET', '/1.0/broken')).toBe(401);
    expect(await status('GET', '/1.0/broken', 'user')).toBe(503);
    expect(await status('GET', '/1.0/unknown')).toBe(401);
    expect(await status('GET', '/1.0/unknown', 'user')).toBe(404);
  });
});

describe('an internal address', () => {
  const app = startEndpointApp({ endpoints: [liveEndpoint('report')] });

  it.each([
    '/.call',
    '/.call/',
    '/%2Ecall',
    '/.endpoint/policy',
    '/.endpoint/config',
    '/.endpoint/versions/1',
  ])('%s is unknown to clients', async (path) => {
    expect((await app.ask('GET', path)).status).toBe(401);
    expect((await app.ask('GET', path, { as: 'user' })).status).toBe(404);
    expect((await app.ask('PATCH', path, { as: 'admin' })).status).toBe(404);
    expect(app.jobs).toEqual([]);
  });
});

describe('paths', () => {
  const app = startEndpointApp({ endpoints: [liveEndpoint('report')] });

  it.each(['/1.0/report/', '/1.0/report?', '/1.0/report#x', 'http://example.org/1.0/report?x'])(
    '%s is the endpoint',
    async (path) => {
      expect((await app.ask('GET', path)).status).toBe(200);
    },
  );

  it.each(['/1.0/report//', '//1.0/report', '/1.0/Report', '/1.0/report/x', '/1.0/report/config/x'])(
    '%s is not',
    async (path) => {
      expect((await app.ask('GET', path, { as: 'admin' })).status).toBe(404);
    },
  );

  it('are shown as the client wrote them', async () => {
    const closed = startEndpointApp({ endpoints: [liveEndpoint('report', { authenticate: true })] });
    const { headers } = await closed.ask('GET', '/1.0/report/?a', { as: 'book-reader' });
    expect(headers['www-authenticate']).toBe('Bearer realm="/1.0/report/"');
  });

  it('have a bounded query', async () => {
    expect((await app.ask('GET', `/1.0/report?${'x'.repeat(17_000)}`)).status).toBe(414);
  });
});

describe('with CORS on', () => {
  const app = startEndpointApp({
    endpoints: [
      liveEndpoint('report', { authenticate: true }),
      liveEndpoint('asks', { methods: ['OPTIONS'] }),
    ],
    config: { 'cors.enabled': true },
    run: () => okResponse('asked'),
  });
  const origin = 'https://site.example';

  it('a preflight is answered before the code', async () => {
    const headers = { origin, 'access-control-request-method': 'PATCH' };
    const { status, headers: sent } = await app.ask('OPTIONS', REPORT, { headers });
    expect([status, sent['access-control-allow-origin']]).toEqual([204, origin]);
    expect(sent['access-control-allow-methods']).toContain('PATCH');
    expect(app.jobs).toEqual([]);
  });

  it('a plain OPTIONS request is for the code', async () => {
    const { status, text, headers } = await app.ask('OPTIONS', '/1.0/asks', { headers: { origin } });
    expect([status, text, headers['access-control-allow-origin']]).toEqual([200, 'asked', origin]);
  });
});
