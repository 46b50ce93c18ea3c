import { afterEach, describe, expect, it, test } from 'vitest';
import { invalidTokenError } from '../../../src/auth/auth-errors.ts';
import type { Client } from '../../../src/auth/clients/client.ts';
import { StoreError } from '../../../src/errors/errors.ts';
import {
  assertReady,
  createAuthenticate,
  parseBearerToken,
  requireAdmin,
  requireClient,
  requireOwnClient,
  unknownPathError,
} from '../../../src/http/core/request-access.ts';
import { bareServer } from '../bare-fastify-server.ts';
import { ADMIN_CLIENT, callerOf, USER_CLIENT } from '../fixtures.ts';

const REMEMBERED: Readonly<Record<string, Client>> = { admin: ADMIN_CLIENT };

let clock = 1000;
const now = () => clock;

const tokens = {
  peek: (token: string) => REMEMBERED[token],
  async verify(token: string) {
    if (token === 'user') return USER_CLIENT;
    if (token === 'slow' || token === 'issuer') clock += 300;
    if (token === 'slow') return USER_CLIENT;
    if (token === 'issuer') return { ...USER_CLIENT, issuer: 'acme' };
    if (token === 'away') throw new StoreError('unavailable');
    throw invalidTokenError();
  },
};

let ready = true;
const isReady = () => ready;

afterEach(() => {
  ready = true;
});

const { server } = bareServer((bare) => {
  bare.register(async (scope) => {
    scope.addHook('onRequest', createAuthenticate({ tokens, createCaller: callerOf, isReady, now }));
    scope.setNotFoundHandler(() => undefined);
    scope.get('/public', async ({ client }) => ({ client: client?.clientId ?? null }));
    scope.get('/time', async ({ tokenMs }) => ({ tokenMs }));
    scope.get('/client', { onRequest: requireClient }, async () => 'ok');
    scope.get('/own', { onRequest: requireOwnClient }, async () => 'ok');
    scope.get('/admin', { onRequest: requireAdmin }, async () => 'ok');
  });
});

const get = async (url: string, authorization?: string) => {
  const headers = authorization === undefined ? {} : { authorization };
  const answer = await server.inject({ url, headers });
  return {
    status: answer.statusCode,
    challenge: answer.headers['www-authenticate'],
    text: answer.body,
  };
};

const NO_TOKEN = 'Bearer, error="no_token", error_description="No access token supplied"';
const INVALID = 'Bearer, error="invalid_token", error_description="Invalid or expired access token"';

describe('the caller', () => {
  it.each([
    ['anonymous without a header', undefined, null],
    ['known by a remembered token', 'Bearer admin', 'boss'],
    ['known by a token that has to be verified', 'bEaReR user', 'user'],
    ['anonymous with another scheme', 'Basic admin', null],
    ['anonymous with three parts', 'Bearer admin x', null],
  ])('is %s', async (_name, authorization, clientId) => {
    const { status, text } = await get('/public', authorization);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ client: clientId });
  });

  it('is rejected with a bad token, also where none is needed', async () => {
    expect(await get('/public', 'Bearer bad')).toMatchObject({ status: 401, challenge: INVALID });
    expect(await get('/nowhere', 'Bearer bad')).toMatchObject({ status: 401, challenge: INVALID });
  });

  it('is looked up within the deadline of the request', async () => {
    expect((await get('/time', 'Bearer slow')).text).toBe('{"tokenMs":300}');
    expect((await get('/time', 'Bearer admin')).text).toBe('{"tokenMs":0}');
    expect((await get('/time', 'Bearer issuer')).text).toBe('{"tokenMs":0}');
    expect((await get('/time')).text).toBe('{"tokenMs":0}');
  });

  it('gets 503 while the database is away', async () => {
    expect(await get('/public', 'Bearer away')).toMatchObject({ status: 503, challenge: undefined });
  });
});

test('a route for clients of our own is closed to the anonymous and to users of other issuers', async () => {
  expect(await get('/own')).toMatchObject({ status: 401, challenge: NO_TOKEN });
  expect(await get('/own', 'Bearer user')).toMatchObject({ status: 200 });
  expect(await get('/own', 'Bearer issuer')).toMatchObject({ status: 401, challenge: 'Bearer realm="/own"' });
});

describe('an unknown path', () => {
  it('is 401 for the anonymous and 404 for others', async () => {
    expect(await get('/nowhere')).toMatchObject({ status: 401, challenge: NO_TOKEN });
    expect(await get('/nowhere', 'Bearer user')).toMatchObject({ status: 404, challenge: undefined });
  });

  it('is 503 until startup has completed, where it may be that of an endpoint', async () => {
    ready = false;
    for (const url of ['/1.0/report', '/1.0/report/deep/down/below/x?y']) {
      expect(await get(url)).toMatchObject({ status: 503, challenge: undefined });
    }
    for (const url of ['/', '/nowhere', '/1.0/', '/api/nowhere', '/media/x', '/..%2f/x']) {
      expect(await get(url), url).toMatchObject({ status: 401, challenge: NO_TOKEN });
    }
    ready = true;
    expect(await get('/1.0/report')).toMatchObject({ status: 401 });
  });

  it('is rejected before the body is read', async () => {
    const headers = { authorization: 'Bearer user', 'content-type': 'x/y' };
    const answer = await server.inject({ method: 'POST', url: '/nowhere', headers, payload: 'abc' });
    expect(answer.statusCode).toBe(404);
  });
});

describe('guards', () => {
  it('reject requests without a token', async () => {
    expect(await get('/client')).toMatchObject({ status: 401, challenge: NO_TOKEN });
    expect(await get('/client', 'Basic abc')).toMatchObject({ status: 401, challenge: NO_TOKEN });
    expect(await get('/client', 'Bearer user')).toMatchObject({ status: 200 });
  });

  it('reject everybody but admins', async () => {
    expect(await get('/admin')).toMatchObject({ status: 401, challenge: NO_TOKEN });
    const refused = await get('/admin?a="', 'Bearer user');
    expect(refused).toMatchObject({ status: 401, challenge: 'Bearer realm="/admin"' });
    expect(await get('/admin', 'Bearer admin')).toMatchObject({ status: 200 });
  });
});

describe('assertReady', () => {
  it('throws `unavailable` until startup has completed', () => {
    expect(() => assertReady(() => false)).toThrow(expect.objectContaining({ reason: 'unavailable' }));
    expect(() => assertReady(() => true)).not.toThrow();
  });
});

describe('the Authorization header', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bEARER abc', 'abc'],
    ['Bearer ', ''],
    [undefined, undefined],
    ['', undefined],
    ['Bearer', undefined],
    ['Bearer a b', undefined],
    ['Bearer  a', undefined],
    ['Basic abc', undefined],
    ['abc', undefined],
    [' Bearer abc', undefined],
  ])('%j holds the token %j', (header, token) => {
    expect(parseBearerToken(header)).toBe(token);
  });
});

const request = (originalUrl: string, client = USER_CLIENT as typeof USER_CLIENT | null) => ({
  originalUrl,
  client,
});
const notReady = () => false;

test('a path that nothing serves is 401 for the anonymous and 404 for clients', () => {
  expect(unknownPathError(request('/nowhere', null))).toMatchObject({ code: 'NO_TOKEN', status: 401 });
  expect(unknownPathError(request('/nowhere'))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  expect(unknownPathError(request('/1.0/report'), () => true)).toMatchObject({ code: 'NOT_FOUND' });
});

test.each(['/1.0/report', '/1.0/report?a=b', '/v1/a/b/c/d/e', '/x/%C3%A9'])(
  'until startup has completed, %s may be the path of an endpoint',
  (path) => {
    expect(unknownPathError(request(path), notReady)).toMatchObject({ reason: 'unavailable' });
    expect(unknownPathError(request(path, null), notReady)).toMatchObject({ reason: 'unavailable' });
  },
);

test.each(['', '/', '/1.0', '/1.0/', '//x', '/api/x', '/media/x', '/.call/x', '/a..b/x'])(
  'no endpoint can have the path %j, before startup has completed either',
  (path) => {
    expect(unknownPathError(request(path), notReady)).toMatchObject({ code: 'NOT_FOUND' });
  },
);
