// What posted code sees of a request, and what is refused before it runs.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EndpointServer, startEndpointServer } from '../helpers/app/endpoint-server.ts';
import { statusBeforeBody } from '../helpers/server-process/client.ts';

const ECHO = `
  const echo = (req, res) => res.json(req);
  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'options']) module.exports[method] = echo;
`;

let server: EndpointServer;
let path: string;

beforeAll(async () => {
  server = await startEndpointServer();
  path = await server.endpoint('echo', ECHO);
});

afterAll(() => server.close());

describe('req', () => {
  it('is plain data', async () => {
    const { body } = await server.get(`${path}?a=1&b=x%20y&a=2&__proto__=3&empty`);
    expect(body).toMatchObject({
      method: 'GET',
      url: `${path}?a=1&b=x%20y&a=2&__proto__=3&empty`,
      path,
      params: {},
      query: { a: ['1', '2'], b: 'x y', empty: '' },
      body: {},
      ip: '127.0.0.1',
    });
    expect(Object.keys(body).sort()).toEqual([
      ...['body', 'client', 'headers', 'ip', 'method', 'params', 'path', 'query', 'url'],
    ]);
  });

  it('says who calls', async () => {
    const { client } = (await server.get(path)).body;
    expect(client).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      clientId: 'admin',
      accessType: 'admin',
    });
    const open = await server.endpoint(
      'whoever',
      `module.exports.model = { settings: { authenticate: false } }; ${ECHO}`,
    );
    expect((await server.get(open, { token: null })).body.client).toBeNull();
    const token = await server.userToken('caller', { endpoints: [{ path: 'whoever' }] });
    expect((await server.get(open, { token })).body.client).toMatchObject({
      clientId: 'caller',
      accessType: 'user',
    });
  });

  it.each([
    ['JSON', 'application/json', '{"a":[1]}', { a: [1] }],
    ['a list', 'application/json; charset=utf-8', '[1,2]', [1, 2]],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&a=2&b=x+y', { a: ['1', '2'], b: 'x y' }],
    ['text', 'text/plain', '{"a":1}', '{"a":1}'],
    ['text of another charset name', 'text/plain; charset=UTF-8', 'grüße', 'grüße'],
    ['empty text', 'text/plain', '', {}],
    ['empty JSON', 'application/json', '', {}],
  ])('has the body: %s', async (_title, type, sent, expected) => {
    const answer = await server.call('POST', path, { body: sent, headers: { 'content-type': type } });
    expect([answer.status, answer.body?.body]).toEqual([200, expected]);
  });

  it('has `{}` where nothing was sent, with any method', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await server.call(method, path);
      expect([method, answer.status, answer.body.body]).toEqual([method, 200, {}]);
    }
  });
});

describe('before the code runs', () => {
  it.each([
    ['application/xml', '<a/>', 415],
    ['multipart/form-data; boundary=a', '--a--', 415],
    ['application/octet-stream', 'bytes', 415],
    ['application/vnd.shop+json', '{}', 415],
    ['application/json', '{"a":', 400],
    ['application/json', '{"a":1} x', 400],
    ['application/json', 'NaN', 400],
  ])('a body of %s: %s is %i', async (type, body, status) => {
    const from = (await server.logs('echo')).length;
    const answer = await server.call('POST', path, { body, headers: { 'content-type': type } });
    expect([answer.status, answer.body.success]).toEqual([status, false]);
    expect(await server.logs('echo')).toHaveLength(from);
  });

  it('bytes without a content type are 415, those of another encoding too', async () => {
    const body = new TextEncoder().encode('{}');
    expect((await server.call('POST', path, { body })).status).toBe(415);
    const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect((await server.call('POST', path, { body, headers: gzip })).status).toBe(415);
  });

  it('a body over `maxBodyBytes` is 413', async () => {
    const grants = { request: { maxBodyBytes: 10 } };
    const small = await server.endpoint('small', ECHO, { version: 1, grants });
    expect((await server.call('POST', small, { body: '{"a":1234}' })).status).toBe(200);
    const large = await server.call('POST', small, { body: '{"a":12345}' });
    expect([large.status, large.body.success]).toEqual([413, false]);
  });

  it('a query over 16 KB is 414', async () => {
    expect((await server.get(`${path}?a=${'x'.repeat(17_000)}`)).status).toBe(414);
  });
});

describe('the order of refusals', () => {
  const odd = { body: '<a>', headers: { 'content-type': 'application/xml' } };

  it('is 401, 404, 405, 415, 413, 400', async () => {
    await server.endpoint('ordered', 'module.exports.post = (req, res) => res.end();', {
      version: 1,
      grants: { request: { maxBodyBytes: 10 } },
    });
    expect((await server.call('POST', '/1.0/nowhere', { ...odd, token: null })).status).toBe(401);
    expect((await server.call('PUT', '/1.0/ordered', { ...odd, token: null })).status).toBe(401);
    expect((await server.call('POST', '/1.0/nowhere', odd)).status).toBe(404);
    expect((await server.call('PUT', '/1.0/ordered', odd)).status).toBe(405);
    const large = { ...odd, body: '<a>'.repeat(10) };
    expect((await server.call('POST', '/1.0/ordered', large)).status).toBe(415);
    const json = { 'content-type': 'application/json' };
    expect((await server.call('POST', '/1.0/ordered', { ...large, headers: json })).status).toBe(413);
    expect((await server.call('POST', '/1.0/ordered', { ...odd, headers: json })).status).toBe(400);
  });

  it('a bad token is 401 on an open endpoint too', async () => {
    const answer = await server.get('/1.0/whoever', { token: 'bad' });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ]);
  });

  it('refuses before the body is read', async () => {
    const headers = { 'content-type': 'application/json', 'content-length': '100000000' };
    expect(await statusBeforeBody(server.url + path, headers)).toBe(401);
  });
});

describe('headers of a request', () => {
  const sent = {
    accept: 'text/html',
    'accept-language': 'de',
    'user-agent': 'test',
    cookie: 'session=1',
    'x-api-key': 'key',
    'x-forwarded-for': '1.2.3.4',
    'x-shop': '1',
    referer: 'http://a',
  };

  it('with an empty policy are four', async () => {
    const { headers } = (await server.get(path, { headers: { ...sent, 'content-type': 'text/plain' } })).body;
    expect(headers).toEqual({
      accept: 'text/html',
      'accept-language': 'de',
      'content-type': 'text/plain',
      'user-agent': 'test',
    });
  });

  it('are those of the policy, credentials by exact name only', async () => {
    const seen = async (headers: readonly string[]) => {
      const put = await server.putPolicy('echo', {
        version: 1,
        grants: { request: { headers: [...headers] } },
      });
      expect([put.status, put.text]).toEqual([200, expect.any(String)]);
      return (await server.get(path, { headers: sent })).body.headers;
    };
    expect(await seen([])).toEqual({});
    expect(await seen(['x-*'])).toEqual({ 'x-shop': '1' });
    expect(await seen(['cookie', 'x-api-key'])).toEqual({ cookie: 'session=1', 'x-api-key': 'key' });
    expect(await seen(['authorization'])).toEqual({ authorization: expect.stringMatching(/^Bearer /) });
  });
});

describe('an endpoint answers to', () => {
  it('its path with one slash more, and to no other', async () => {
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (at) => (await server.get(at)).status));
    expect(await statuses(`${path}/`, `${path}?`)).toEqual([200, 200]);
    expect(
      await statuses(`${path}//`, '/1.0/Echo', '/2.0/echo', `${path}/more`, '/endpoints/1.0/echo'),
    ).toEqual([404, 404, 404, 404, 404]);
    expect(await statuses('/1.0/%65cho')).toEqual([200]);
  });

  it('whom its module lets in', async () => {
    const listed = await server.endpoint(
      'listed',
      `module.exports.model = { settings: { authenticate: ['POST'] } }; ${ECHO}`,
    );
    const anonymous = (method: string, at: string) => server.call(method, at, { token: null });
    expect((await anonymous('GET', listed)).status).toBe(200);
    expect((await anonymous('HEAD', listed)).status).toBe(200);
    expect((await anonymous('POST', listed)).status).toBe(401);
    const refused = await anonymous('GET', path);
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^Bearer/),
    ]);
    const token = await server.userToken('outsider', { collections: [] });
    expect((await server.get(path, { token })).status).toBe(401);
  });
});
