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
    { clientId: 'no such id: ☃', secret: 'x'.repeat(5000) },
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

  const ID = '`clientId` is missing';
  const SECRET = '`secret` is missing';
  it.each([
    [{ clientId: ADMIN.clientId }, [SECRET]],
    [{ client: ADMIN.clientId, secret: ADMIN.secret }, [ID]],
    [{ clientId: '', secret: null }, [ID, SECRET]],
    [{ clientId: ADMIN.clientId, secret: { $ne: '' } }, ['`secret` must be text']],
    [{ clientId: { $ne: '' }, secret: { $ne: '' } }, ['`clientId` must be text', '`secret` must be text']],
    [[], [ID, SECRET]],
    ['null', [ID, SECRET]],
    [undefined, [ID, SECRET]],
  ])('says which member %j lacks, with 400, which is no attempt', async (body, messages) => {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const { status, headers, body: answer } = await login(body);
      expect([status, headers['www-authenticate']]).toEqual([400, undefined]);
      expect(answer.errors.map(({ message }: { message: string }) => message)).toEqual(messages);
      expect(answer.errors[0].details).toContain('clientId');
    }
  });

  it('says that JSON needs its type where a form was announced', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, body, text } = await login(JSON.stringify(ADMIN), headers);
    expect([status, body.errors[0].field]).toEqual([400, 'clientId']);
    expect(body.errors[0].details).toBe('JSON needs `Content-Type: application/json`');
    expect(text).not.toContain(ADMIN.secret);
  });

  it('rejects broken JSON with the place', async () => {
    const { status, body } = await login('{');
    expect([status, body.errors[0].column]).toEqual([400, 2]);
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
