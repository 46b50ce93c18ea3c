// A query string that cannot be read is refused on every address, whether or not it means anything there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

const BOOKS = '/1.0/library/books';
const UNKNOWN = 'ffffffffffffffffffffffff';
const BROKEN = ['filter=%zz', 'x=%', '%c3=1', 'count=1&count=2'];

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

it.each([
  ['GET', BOOKS],
  ['HEAD', BOOKS],
  ['POST', BOOKS],
  ['PUT', BOOKS],
  ['DELETE', BOOKS],
  ['GET', `${BOOKS}/count`],
  ['GET', `${BOOKS}/stats`],
  ['GET', `${BOOKS}/config`],
  ['POST', `${BOOKS}/config`],
  ['DELETE', `${BOOKS}/config`],
  ['GET', `${BOOKS}/${UNKNOWN}`],
  ['POST', `${BOOKS}/${UNKNOWN}`],
  ['PUT', `${BOOKS}/${UNKNOWN}`],
  ['DELETE', `${BOOKS}/${UNKNOWN}`],
  ['GET', `${BOOKS}/${UNKNOWN}/history`],
  ['GET', '/api/collections'],
  ['GET', '/api/config'],
  ['POST', '/api/config'],
  ['GET', '/api/clients'],
  ['POST', '/api/clients'],
  ['PUT', '/api/clients/someone'],
  ['DELETE', '/api/clients/someone'],
  ['PUT', '/api/clients/someone/secret'],
  ['GET', '/api/audit'],
  ['GET', '/api/status'],
  ['POST', '/api/flush'],
  ['GET', '/api/endpoints'],
  ['GET', '/api/hooks'],
  ['GET', '/api/hooks/slug/config'],
  ['POST', '/1.0/report/config'],
  ['GET', '/hello'],
  ['GET', '/health'],
  ['GET', '/favicon.ico'],
  ['POST', '/token'],
])('%s %s', async (method, path) => {
  const body = ['POST', 'PUT', 'DELETE'].includes(method) ? { body: { query: {} } } : {};
  for (const query of BROKEN) {
    const { status } = await app.inject(method, `${path}?${query}`, body);
    expect([query, status]).toEqual([query, 400]);
  }
});

it('who may not ask is told that first', async () => {
  for (const path of [BOOKS, `${BOOKS}/stats`, '/api/config', '/nothing']) {
    expect((await app.inject('GET', `${path}?x=%`, { token: null })).status).toBe(401);
  }
  expect((await app.inject('GET', '/1.0/library/none?x=%')).status).toBe(404);
});
