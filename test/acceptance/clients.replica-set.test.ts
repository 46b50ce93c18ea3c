// The life of clients and of their tokens, and how guessing is slowed down by default.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { ADMIN } from '../helpers/server-process/server-process.ts';

const BOOKS = '/1.0/library/books';
const SECRET = 'a secret for one client';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: { cache: true } });
});

afterAll(() => app.close());

const create = (clientId: string, more: JsonObject = {}) =>
  app.inject('POST', '/api/clients', { body: { clientId, secret: SECRET, ...more } });
const status = async (token: string, path = BOOKS, method = 'GET') =>
  (await app.inject(method, path, { token })).status;

describe('the tokens of a client', () => {
  it('end with it, also when another of its name and secret follows', async () => {
    await create('phoenix');
    const token = await app.token('phoenix', SECRET);
    expect(await status(token)).toBe(200);
    await app.inject('DELETE', '/api/clients/phoenix');
    expect(await status(token)).toBe(401);
    await create('phoenix');
    expect(await status(token)).toBe(401);
    expect(await status(await app.token('phoenix', SECRET))).toBe(200);
  });

  it('end with its secret, also when the new one is the same', async () => {
    await create('rotating');
    const token = await app.token('rotating', SECRET);
    await app.inject('PUT', '/api/clients/rotating/secret', { body: { secret: SECRET } });
    expect(await status(token)).toBe(401);
  });

  it('lose and gain rights with it', async () => {
    await create('promoted');
    const token = await app.token('promoted', SECRET);
    expect(await status(token, '/api/config')).toBe(401);
    const put = (body: JsonObject) => app.inject('PUT', '/api/clients/promoted', { body });
    await put({ accessType: 'admin' });
    expect(await status(token, '/api/config')).toBe(200);
    await put({ accessType: 'user', permissions: { collections: [{ path: 'people' }] } });
    expect(await status(token, '/api/config')).toBe(401);
    expect(await status(token)).toBe(401);
    expect(await status(token, '/1.0/library/people')).toBe(200);
  });

  it('lose and gain single actions, databases and roles with it', async () => {
    await create('narrowed', { roles: ['author'] });
    const token = await app.token('narrowed', SECRET);
    const put = async (body: JsonObject) => {
      await app.inject('PUT', '/api/clients/narrowed', { body });
      return [await status(token), await status(token, `${BOOKS}/0123456789abcdef01234567`, 'DELETE')];
    };
    expect(await put({ permissions: { actions: ['read'] } })).toEqual([200, 401]);
    const inLibrary = { path: 'books', database: 'library', actions: ['delete'] };
    expect(await put({ permissions: { collections: [inLibrary] } })).toEqual([401, 404]);
    const elsewhere = { path: 'books', database: 'other' };
    expect(await put({ permissions: { collections: [elsewhere] }, roles: ['chief'] })).toEqual([401, 401]);
    const { body } = await app.inject('GET', '/api/clients/narrowed');
    expect(body.results[0]).toMatchObject({ roles: ['chief'], permissions: { collections: [elsewhere] } });
    expect(await put({ permissions: null, roles: [] })).toEqual([200, 404]);
    expect((await app.inject('GET', '/api/clients/narrowed')).body.results[0]).not.toHaveProperty('roles');
  });
});

describe('of two requests at once', () => {
  it('one makes a client and one is told that it exists', async () => {
    const answers = await Promise.all([create('twin'), create('twin')]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409]);
  });

  it('one may remove an admin and one must leave the last', async () => {
    const other = await startApp();
    await other.inject('POST', '/api/clients', {
      body: { clientId: 'second', secret: SECRET, accessType: 'admin' },
    });
    const answers = await Promise.all([
      other.inject('DELETE', '/api/clients/second'),
      other.inject('DELETE', `/api/clients/${ADMIN.clientId}`),
    ]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([204, 409]);
    await other.close();
  });
});

describe('failures at /token', () => {
  // Longer than any secret: refused without the work of a comparison.
  const WRONG = 'x'.repeat(1025);
  const attempt = (target: TestApp, clientId: string, secret = WRONG) =>
    target.inject('POST', '/token', { token: null, body: { clientId, secret } });

  it('are counted per client id: 30 a minute; others get in', async () => {
    const guarded = await startApp();
    const answers = [];
    for (let n = 0; n < 31; n += 1) answers.push(await attempt(guarded, ADMIN.clientId));
    expect(answers.map((answer) => answer.status)).toEqual([...Array.from({ length: 30 }, () => 401), 429]);
    const limited = answers.at(-1);
    expect(limited?.body).toMatchObject({ statusCode: 429, success: false });
    const wait = Number(limited?.headers['retry-after']);
    expect([wait > 0, wait <= 60]).toEqual([true, true]);
    expect((await attempt(guarded, ADMIN.clientId, ADMIN.secret)).status).toBe(429);
    expect((await attempt(guarded, 'somebody')).status).toBe(401);
    await guarded.close();
  });

  it('are counted per address: 300; successes never count', async () => {
    const guarded = await startApp();
    for (let n = 0; n < 3; n += 1)
      expect((await attempt(guarded, ADMIN.clientId, ADMIN.secret)).status).toBe(200);
    for (let n = 0; n < 300; n += 1) expect((await attempt(guarded, `guess${n}`)).status).toBe(401);
    expect((await attempt(guarded, ADMIN.clientId, ADMIN.secret)).status).toBe(429);
    await guarded.close();
  });
});

describe('a cached answer', () => {
  it('is not given once the specification has changed', async () => {
    await app.inject('POST', '/1.0/library/people', { body: { name: 'Ann', born: 1900 } });
    const path = '/1.0/library/people';
    const seen = async () => (await app.inject('GET', path)).body.results[0].born;
    expect([await seen(), await seen()]).toEqual([1900, 1900]);
    const people = LIBRARY['1.0/library/people'] as { fields: JsonObject; settings: JsonObject };
    const body = { ...people, settings: { ...people.settings, fieldLimiters: { born: 0 } } };
    expect((await app.inject('POST', `${path}/config`, { body })).status).toBe(200);
    expect(await seen()).toBeUndefined();
  });

  it('is not given to a client whose permission ended', async () => {
    const token = await app.userToken('fading', { collections: [{ path: 'books' }] });
    expect([await status(token), await status(token)]).toEqual([200, 200]);
    await app.inject('PUT', '/api/clients/fading', { body: { permissions: { collections: [] } } });
    expect(await status(token)).toBe(401);
  });
});
