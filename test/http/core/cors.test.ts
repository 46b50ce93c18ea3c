import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { applyFileCors, createCors } from '../../../src/http/core/cors.ts';
import { bareServer } from '../bare-fastify-server.ts';

const SITE = 'https://site.example';
const isEndpointCall = ({ url }: IncomingMessage) => url === '/call';

function open(origins: readonly string[], enabled = true) {
  const { server } = bareServer((bare) => {
    const cors = createCors({ enabled, origins: [...origins] }, isEndpointCall);
    bare.addHook('onRequest', (request, reply, done) => {
      if (cors(request, reply)) reply.code(204).send();
      else done();
    });
    for (const url of ['/a', '/call']) {
      bare.get(url, async () => 'ok');
      bare.options(url, async (_request, reply) => reply.code(299).send('options'));
    }
    bare.get('/failing', async () => {
      throw new Error('failed');
    });
  });
  return server;
}

const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'x-a' };
const allowedOrigin = ({ headers }: { readonly headers: Readonly<Record<string, unknown>> }) =>
  headers['access-control-allow-origin'];

test('a preflight of a configured origin is answered with methods and headers', async () => {
  const answer = await open([SITE]).inject({
    method: 'OPTIONS',
    url: '/a',
    headers: { origin: SITE, ...preflight },
  });
  expect(answer.statusCode).toBe(204);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': SITE,
    'access-control-allow-headers': 'x-a',
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  });
  expect(answer.headers['vary']).toContain('Origin');
});

test.each([
  [[SITE], 'https://evil.example', undefined],
  [['*'], 'https://evil.example', 'https://evil.example'],
  [['*'], undefined, '*'],
])('with the origins %j, %s is allowed as %s', async (origins, origin, allowed) => {
  const headers = origin === undefined ? {} : { origin };
  expect(allowedOrigin(await open(origins).inject({ url: '/a', headers }))).toBe(allowed);
});

test('errors carry the headers of CORS too', async () => {
  const answer = await open([SITE]).inject({ url: '/failing', headers: { origin: SITE } });
  expect([answer.statusCode, allowedOrigin(answer)]).toEqual([500, SITE]);
  expect(answer.headers['access-control-expose-headers']).toContain('Retry-After');
});

test('an OPTIONS request of an endpoint that is no preflight reaches its code', async () => {
  const server = open([SITE]);
  const options = (url: string, headers = {}) =>
    server.inject({ method: 'OPTIONS', url, headers: { origin: SITE, ...headers } });
  expect((await options('/call')).statusCode).toBe(299);
  expect((await options('/call', preflight)).statusCode).toBe(204);
  expect((await options('/a')).statusCode).toBe(204);
});

test('nothing is allowed where CORS is off', async () => {
  const answer = await open([SITE], false).inject({ url: '/a', headers: { origin: SITE } });
  expect(allowedOrigin(answer)).toBeUndefined();
});

test('pages of every origin may read what is delivered, but not its administration', async () => {
  const { server } = bareServer((bare) => {
    bare.addHook('onRequest', (request, reply, done) => {
      applyFileCors(request, reply);
      done();
    });
    bare.get('/*', async () => 'bytes');
  });
  const file = await server.inject({ url: '/file' });
  expect(file.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('Content-Range'),
  });
  expect(allowedOrigin(await server.inject({ url: '/apis/file' }))).toBe('*');
  for (const url of ['/api/routes', '/token', '/health', '/api?x']) {
    expect(allowedOrigin(await server.inject({ url }))).toBeUndefined();
  }
});
