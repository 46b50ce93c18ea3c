// Tokens, challenges, `settings.authenticate` and what is public, over the whole application.
import jwt from 'jsonwebtoken';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const NO_TOKEN = 'Bearer, error="no_token", error_description="No access token supplied"';
const INVALID = 'Bearer, error="invalid_token", error_description="Invalid or expired access token"';
const TOKEN_SECRET = 'a signing secret for tests, long enough';
const ID = '0123456789abcdef01234567';

let app: TestApp;
let person: string;

beforeAll(async () => {
  app = await startApp({
    config: { auth: { tokenSecret: TOKEN_SECRET } },
    specs: {
      ...LIBRARY,
      '1.0/library/open': { fields: { title: {} }, settings: { authenticate: false } },
      '1.0/library/half': { fields: { title: {} }, settings: { authenticate: ['POST', 'put', 'DELETE'] } },
      '1.0/library/docs': { fields: { title: {} }, settings: {} },
      '1.0/library/configs': { fields: { title: {} }, settings: { authenticate: false } },
    },
  });
  const made = await app.inject('POST', '/1.0/library/people', { body: { name: 'Ann behind a reference' } });
  person = made.body.results[0]._id;
});

afterAll(() => app.close());

const at = (path: string, method = 'GET', body?: JsonObject) =>
  app.inject(method, path, { token: null, ...(body === undefined ? {} : { body }) });

describe('a challenge', () => {
  it.each([
    [undefined, NO_TOKEN],
    ['', NO_TOKEN],
    ['Basic YTpi', NO_TOKEN],
    ['Bearer', NO_TOKEN],
    ['Bearer a b', NO_TOKEN],
    ['Bearer nonsense', INVALID],
    ['bearer nonsense', INVALID],
  ])('for the header %s', async (authorization, expected) => {
    const headers = authorization === undefined ? {} : { authorization };
    for (const path of [
      '/1.0/library/books',
      '/1.0/library/docs',
      '/api/collections',
      '/api/config',
      '/nowhere',
    ]) {
      const { status, headers: got, body } = await app.inject('GET', path, { token: null, headers });
      expect([status, got['www-authenticate']]).toEqual([401, expected]);
      expect(got['content-type']).toBe('application/json');
      expect(body).toMatchObject({ statusCode: 401, success: false });
    }
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
    'ends %s, whatever the address',
    async (method) => {
      for (const path of ['/1.0/library/open', '/1.0/library/books', '/favicon.ico', '/nowhere']) {
        const { status, headers } = await app.inject(method, path, { token: 'bad' });
        expect([path, status, headers['www-authenticate']]).toEqual([path, 401, INVALID]);
      }
    },
  );
});

describe('a token', () => {
  const claims = async () => jwt.decode(await app.adminToken()) as jwt.JwtPayload;
  const status = async (token: string) => (await app.inject('GET', '/1.0/library/books', { token })).status;

  it('is a JWT signed with HS256, good for 1800 seconds', async () => {
    const { header, payload } = jwt.decode(await app.adminToken(), { complete: true }) as jwt.Jwt;
    const { iat = 0, exp = 0 } = payload as jwt.JwtPayload;
    expect([header.alg, exp - iat]).toEqual(['HS256', 1800]);
  });

  it('is refused without a signature, with another algorithm, key or time', async () => {
    const { exp: _exp, iat: _iat, ...rest } = await claims();
    const sign = (secret: string, options: jwt.SignOptions) =>
      jwt.sign(rest, secret, { expiresIn: 60, ...options });
    expect(await status(sign(TOKEN_SECRET, { algorithm: 'HS256' }))).toBe(200);
    expect(await status(sign('', { algorithm: 'none' }))).toBe(401);
    expect(await status(sign(TOKEN_SECRET, { algorithm: 'HS512' }))).toBe(401);
    expect(await status(sign('another secret of the same length..', { algorithm: 'HS256' }))).toBe(401);
    expect(await status(sign(TOKEN_SECRET, { expiresIn: -1 }))).toBe(401);
    expect(await status(jwt.sign(rest, TOKEN_SECRET))).toBe(401);
    expect(await status(jwt.sign({}, TOKEN_SECRET, { expiresIn: 60 }))).toBe(401);
  });

  it('is not taken from the query string', async () => {
    const token = await app.adminToken();
    expect((await at(`/1.0/library/books?token=${token}&access_token=${token}`)).status).toBe(401);
  });

  it('outlives a restart, also when its secret was generated', async () => {
    const workspace = createWorkspace(LIBRARY);
    const first = await startApp({ workspace });
    const token = await first.adminToken();
    await first.close();
    const second = await startApp({ workspace });
    expect((await second.inject('GET', '/1.0/library/books', { token })).status).toBe(200);
    await second.close();
    workspace.remove();
  });
});

describe('a missing client and a wrong secret', () => {
  it('get the same answer after the same work', async () => {
    // The hash of production is nearly all of the processor time of such a login.
    const app = await startApp({ options: { hashCost: { N: 16_384, r: 8, p: 1 } } });
    const attempt = async (clientId: string) => {
      const from = process.cpuUsage();
      const credentials = { token: null, body: { clientId, secret: 'wrong' } };
      const { status, text, headers } = await app.inject('POST', '/token', credentials);
      const { user, system } = process.cpuUsage(from);
      return { ms: (user + system) / 1000, answer: [status, text, headers['www-authenticate']] };
    };
    const missing = [];
    const wrong = [];
    // In turn, so that both meet the machine as it is.
    for (let n = 0; n < 5; n += 1) {
      missing.push(await attempt('nobody'));
      wrong.push(await attempt(ADMIN.clientId));
    }
    await app.close();
    expect(missing.map(({ answer }) => answer)).toEqual(wrong.map(({ answer }) => answer));
    const least = (attempts: readonly { ms: number }[]) => Math.min(...attempts.map(({ ms }) => ms));
    expect(least(missing) / least(wrong)).toBeGreaterThan(0.5);
    expect(least(missing) / least(wrong)).toBeLessThan(2);
  });
});

describe('settings.authenticate', () => {
  it('false opens the documents on every sub-path, and nothing else', async () => {
    const path = '/1.0/library/open';
    const created = await at(path, 'POST', { title: 'anonymous' });
    expect([created.status, created.body.results[0].createdBy]).toEqual([200, null]);
    const id = created.body.results[0]._id;
    for (const rest of ['', '/count', '/stats', `/${id}`, `/${id}/history`]) {
      expect((await at(path + rest)).status, rest).toBe(200);
    }
    expect((await at(`${path}/${id}`, 'PUT', { title: 'b' })).body.results[0].lastModifiedBy).toBeNull();
    expect((await at(path, 'PUT', { query: {}, all: true, update: { title: 'c' } })).status).toBe(200);
    expect((await at(`${path}/${id}`, 'DELETE')).status).toBe(204);
    expect((await at(path, 'DELETE', { query: {}, all: true })).status).toBe(204);
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await at(`${path}/config`, method)).status).toBe(401);
    }
  });

  it('a list of methods, in any case, opens the others', async () => {
    const path = '/1.0/library/half';
    expect((await at(path)).status).toBe(200);
    expect((await at(path, 'HEAD')).status).toBe(200);
    expect((await at(`${path}/stats`)).status).toBe(200);
    for (const [method, rest, body] of [
      ['POST', '', { title: 'x' }],
      ['POST', '', { query: {}, all: true, update: {} }],
      ['POST', `/${ID}`, {}],
      ['PUT', '', { query: {}, all: true, update: {} }],
      ['PUT', `/${ID}`, {}],
      ['DELETE', '', { query: {}, all: true }],
      ['DELETE', `/${ID}`, {}],
    ] as const) {
      expect((await at(path + rest, method, body)).status, method + rest).toBe(401);
    }
  });

  it('opens a collection to a client without permission for it', async () => {
    const token = await app.userToken('limited', { collections: [] });
    expect((await app.inject('GET', '/1.0/library/open', { token })).status).toBe(200);
    expect((await app.inject('GET', '/1.0/library/half', { token })).status).toBe(200);
    expect((await app.inject('PUT', '/1.0/library/half', { token, body: {} })).status).toBe(401);
  });

  it('lets an anonymous caller see no collection behind a reference', async () => {
    const fields = { person: { type: 'Reference', settings: { collection: 'people' } } };
    const body = { fields, settings: { authenticate: false, compose: true } };
    await app.inject('POST', '/1.0/library/window/config', { body });
    await app.inject('POST', '/1.0/library/window', { body: { person } });
    const { body: seen, text } = await at('/1.0/library/window?compose=true');
    expect(seen.results[0].person).toBe(person);
    expect(text).not.toContain('behind a reference');
    expect((await at(`/1.0/library/window?filter={"person.name":"x"}`)).status).toBe(400);
    const nested = await at('/1.0/library/window', 'POST', { person: { name: 'Eve' } });
    expect([nested.status, nested.headers['www-authenticate']]).toEqual([401, NO_TOKEN]);
  });
});
