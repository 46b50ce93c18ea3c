import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { benchFor, fetchBench, fetchGrant, serve } from './fetch/servers.ts';

const to = (status: number, location: string) => (_request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(status, { location });
  response.end('moved');
};

/** `/3` leads to `/2`, `/2` to `/1`, and so on to the end. */
const chain = (request: IncomingMessage, response: ServerResponse) => {
  const left = Number(request.url?.slice(1));
  if (left === 0) response.end('there');
  else to(302, `/${left - 1}`)(request, response);
};

test('fetch follows three redirects and no fourth', async () => {
  const server = await serve(chain);
  const { ask, refusals } = benchFor(server);
  expect(await ask({ url: `${server.origin}/3` })).toMatchObject({ status: 200, body: 'there' });
  expect(await ask({ url: `${server.origin}/4` })).toBe('FETCH_REFUSED');
  expect(refusals).toEqual([{ origin: server.origin, reason: 'redirects' }]);
});

test('fetch needs a grant for every hop', async () => {
  const inner = await serve((_request, response) => response.end('inner'));
  const server = await serve((request, response) =>
    to(302, `${inner.origin}${request.url}`)(request, response),
  );
  const allow = [`127.0.0.1:${server.port}`, `127.0.0.1:${inner.port}`];
  const alone = fetchBench([fetchGrant(server.origin)], { allow });
  expect(await alone.ask({ url: `${server.origin}/a` })).toBe('FETCH_REFUSED');
  expect(alone.refusals).toEqual([{ origin: inner.origin, reason: 'grant' }]);
  const folder = fetchGrant(inner.origin, { paths: ['/a/'] });
  const both = fetchBench([fetchGrant(server.origin), folder], { allow });
  expect((await both.ask({ url: `${server.origin}/a/` })).body).toBe('inner');
  expect(await both.ask({ url: `${server.origin}/b/` })).toBe('FETCH_REFUSED');
  expect(inner.requests).toHaveLength(1);
});

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.1:1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'http://user:pass@127.0.0.1/',
  '//169.254.169.254/',
  'http://[::1]/',
])('fetch rejects a redirect to %s', async (location) => {
  const server = await serve(to(307, location));
  const { ask, refusals } = benchFor(server);
  expect(await ask({ url: server.origin })).toBe('FETCH_REFUSED');
  expect(refusals).toHaveLength(1);
});

test('fetch checks the address of a granted origin after a redirect', async () => {
  const server = await serve(to(302, 'http://169.254.169.254/'));
  const grants = [fetchGrant(server.origin), fetchGrant('http://169.254.169.254')];
  const { ask, refusals } = fetchBench(grants, { allow: [`127.0.0.1:${server.port}`] });
  expect(await ask({ url: server.origin })).toBe('FETCH_REFUSED');
  expect(refusals).toEqual([{ origin: 'http://169.254.169.254', reason: 'address' }]);
});

test('fetch drops possible credentials when a redirect leads to another origin', async () => {
  const inner = await serve((_request, response) => response.end());
  const server = await serve(to(307, `${inner.origin}/`));
  const secret = fetchGrant(server.origin, { headers: { authorization: 'secret:A' } });
  const other = fetchGrant(inner.origin, { headers: { 'x-other': 'secret:B' } });
  const { ask } = fetchBench([secret, other], {
    allow: [`127.0.0.1:${server.port}`, `127.0.0.1:${inner.port}`],
    secrets: { A: 'for the first', B: 'for the second' },
  });
  const headers = [
    ['x-api-key', 'k'],
    ['accept', 'text/plain'],
  ];
  await ask({ url: server.origin, method: 'POST', body: 'x', headers });
  expect(server.requests[0]!.headers).toMatchObject({ authorization: 'for the first', 'x-api-key': 'k' });
  const { host, ...rest } = inner.requests[0]!.headers;
  expect(rest).toEqual({
    connection: 'close',
    'accept-encoding': 'gzip, br, zstd',
    accept: 'text/plain',
    'content-length': '1',
    'x-other': 'for the second',
  });
});

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [303, 'HEAD', 'HEAD', ''],
  [302, 'PUT', 'PUT', 'x'],
  [307, 'POST', 'POST', 'x'],
  [308, 'POST', 'POST', 'x'],
])('a redirect with %i turns %s into %s with body %j', async (status, method, expected, body) => {
  const server = await serve(async (request, response) => {
    if (request.url === '/start') return to(status, 'end')(request, response);
    const sent = await text(request);
    response.setHeader('x-sent', [request.method, sent, request.headers['content-type']].join('|'));
    return response.end();
  });
  const { ask } = benchFor(server, { methods: ['GET', 'HEAD', 'POST', 'PUT'] });
  const answer = await ask({
    url: `${server.origin}/start`,
    method,
    ...(method === 'HEAD' ? {} : { body: 'x' }),
    headers: [['content-type', 'text/x']],
  });
  const type = body === '' && method !== 'HEAD' ? '' : 'text/x';
  expect(answer.headers).toContainEqual(['x-sent', `${expected}|${body}|${type}`]);
});

test('fetch rejects a redirect that becomes a method without a grant', async () => {
  const server = await serve(to(303, '/end'));
  const { ask, refusals } = benchFor(server, { methods: ['POST'] });
  expect(await ask({ url: server.origin, method: 'POST' })).toBe('FETCH_REFUSED');
  expect(refusals).toMatchObject([{ reason: 'grant' }]);
});

test('fetch returns a 3xx without location and rejects one with an invalid location', async () => {
  const server = await serve((request, response) => {
    response.writeHead(302, request.url === '/odd' ? { location: 'http://[' } : {});
    response.end('here');
  });
  const { ask } = benchFor(server);
  expect(await ask({ url: server.origin })).toMatchObject({ status: 302, body: 'here' });
  expect(await ask({ url: `${server.origin}/odd` })).toBe('FETCH_REFUSED');
});

test('fetch gives a redirect without a location to the guest: it leads nowhere, and so is an answer', async () => {
  const server = await serve((_request, response) => response.writeHead(302).end('stay'));
  const { ask, refusals } = benchFor(server);
  expect(await ask({ url: server.origin })).toMatchObject({ status: 302, body: 'stay' });
  expect(refusals).toEqual([]);
});
