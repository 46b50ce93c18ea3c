import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import { healthRoutes } from '../../../src/http/admin/status-routes.ts';
import { useJsonParser } from '../../../src/http/core/body-parsers.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { bareServer } from '../bare-fastify-server.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

describe('the public routes', () => {
  it.each([null, 'bad'])('greets, with the token %s', async (token) => {
    const { status, text, headers } = await app.inject('GET', '/hello', { token });
    expect([status, text]).toEqual([200, 'Welcome to API']);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it.each([null, 'bad'])('is healthy, with the token %s', async (token) => {
    const { status, body } = await app.inject('GET', '/health', { token });
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    expect((await app.inject('HEAD', '/health', { token })).status).toBe(200);
  });

  it('have an empty icon', async () => {
    expect((await app.inject('GET', '/favicon.ico', { token: null })).status).toBe(204);
  });

  it('reject other methods without authentication', async () => {
    const { status, headers } = await app.inject('POST', '/health', { token: null });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });
});

describe('/health while the database is away', () => {
  it.each([
    ['away', true, true, () => Promise.reject(new StoreError('unavailable', { cause: new Error('driver') }))],
    ['back, and the start not complete yet', false, true, async () => {}],
    ['back, and not known yet what other processes have changed', true, false, async () => {}],
  ])('is 503 without detail: %s', async (_case, ready, confirmed, health) => {
    const isReady = () => ready;
    const isConfirmed = () => confirmed;
    const { server } = bareServer((bare) => {
      useJsonParser(bare, 100);
      const deps = { isReady, isConfirmed, store: { health } };
      healthRoutes(bare, deps as unknown as Parameters<typeof healthRoutes>[1]);
    });
    const answer = await server.inject({ url: '/health' });
    expect(answer.statusCode).toBe(503);
    expect(answer.headers['retry-after']).toBe('2');
    expect(answer.json()).toEqual({
      statusCode: 503,
      success: false,
      errors: [expect.objectContaining({ code: 'API-0004', message: 'The database is unavailable' })],
    });
    expect((await server.inject({ url: '/hello' })).statusCode).toBe(200);
  });
});
