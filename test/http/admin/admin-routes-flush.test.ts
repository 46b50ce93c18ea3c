import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: { cache: true } });
});

afterAll(() => app.close());

const flush = (body: unknown, token?: string) =>
  app.inject('POST', '/api/flush', { body, ...(token === undefined ? {} : { token }) });
const cached = async (path: string) => (await app.inject('GET', path)).headers['x-cache'];

describe('POST /api/flush', () => {
  it('drops the responses of one collection', async () => {
    await cached('/1.0/library/books');
    await cached('/1.0/library/people');
    const { status, body } = await flush({ path: '/1.0/library/books' });
    expect([status, body]).toEqual([200, { result: 'success', message: 'Cache flush successful' }]);
    expect(await cached('/1.0/library/books')).toBe('MISS');
    expect(await cached('/1.0/library/people')).toBe('HIT');
    expect((await flush({ path: '/1.0/library/people/' })).status).toBe(200);
    expect(await cached('/1.0/library/people')).toBe('MISS');
  });

  it('drops all responses with a star', async () => {
    await cached('/1.0/library/people');
    expect((await flush({ path: '*' })).status).toBe(200);
    expect(await cached('/1.0/library/people')).toBe('MISS');
  });

  it.each([{}, { path: '' }, { path: 5 }, [], null, undefined])(
    'refuses %j, in both shapes',
    async (body) => {
      const { status, body: answer } = await flush(body);
      const named = {
        code: 'API-0003',
        title: 'Cache Path Missing',
        details: '`path` must be specified in the request body.',
      };
      expect(status).toBe(400);
      expect(answer).toMatchObject({ statusCode: 400, success: false, ...named, errors: [named] });
    },
  );

  it.each(['', 5, null, 'x'.repeat(5000)])('refuses %j as a pattern, and names it', async (pattern) => {
    await cached('/1.0/library/people');
    for (const body of [{ pattern }, { path: '*', pattern }]) {
      const answer = await flush(body);
      expect(answer.status).toBe(400);
      expect(answer.body.errors).toEqual([expect.objectContaining({ field: 'pattern' })]);
    }
    expect(await cached('/1.0/library/people')).toBe('HIT');
  });

  it('is for admins', async () => {
    expect((await flush({ path: '*' }, await app.userToken('plain'))).status).toBe(401);
  });

  it('succeeds without a cache', async () => {
    const plain = await startApp();
    expect((await plain.inject('POST', '/api/flush', { body: { path: '*' } })).status).toBe(200);
    await plain.close();
  });
});
