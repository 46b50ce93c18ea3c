import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: { auth: { rateLimit: { perClient: 5 } } } });
});

afterAll(() => app.close());

const login = (body: unknown, headers: Record<string, string> = {}) =>
  app.inject('POST', '/token', { token: null, body, headers });

describe('POST /token', () => {
  it('sends an uncacheable token for valid credentials', async () => {
    const { status, headers, body } = await login(ADMIN);
    expect(status).toBe(200);
    expect(body).toEqual({ accessToken: expect.any(String), tokenType: 'Bearer', expiresIn: 1800 });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect((await app.inject('GET', '/api/status', { token: body.accessToken })).status).toBe(200);
  });

  it('accepts a form, and ignores the query and the Authorization header', async () => {
    const form = new URLSearchParams({ ...ADMIN }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: 'Bearer bad' };
    expect((await login(form, headers)).status).toBe(200);
    expect((await app.inject('POST', '/token/?x=1', { token: 'bad', body: ADMIN })).status).toBe(200);
  });

  it.each([
    { clientId: ADMIN.clientId, secret: 'wrong' },
    { clientId: 'nobody', secret: ADMIN.secret },
    { clientId: ADMIN.clientId },
    { clientId: ADMIN.clientId, secret: { $ne: '' } },
    { clientId: { $ne: '' }, secret: { $ne: '' } },
    [],
    null,
    'null',
  ])('rejects %j with a challenge', async (body) => {
    const { status, headers, body: answer } = await login(body);
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe(
      'Bearer, error="invalid_credentials", error_description="Invalid credentials supplied"',
    );
    expect(answer).toEqual({
      statusCode: 401,
      success: false,
      errors: [{ message: 'Invalid credentials supplied', code: 'INVALID_CREDENTIALS' }],
    });
  });

  it('rejects an empty body like wrong credentials, and broken JSON with 400', async () => {
    expect((await app.inject('POST', '/token', { token: null })).status).toBe(401);
    expect((await login('{')).status).toBe(400);
  });

  it('supports no other method', async () => {
    const { status, headers } = await app.inject('GET', '/token', { token: null });
    expect([status, headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });

  it('limits the rate of guesses', async () => {
    const guesses = Array.from({ length: 6 }, () => login({ clientId: 'guessed', secret: 'wrong' }));
    const limited = (await Promise.all(guesses)).filter(({ status }) => status === 429);
    expect(limited).toHaveLength(1);
    expect(Number(limited[0]?.headers['retry-after'])).toBeGreaterThan(0);
    expect((await login(ADMIN)).status).toBe(200);
  });
});
