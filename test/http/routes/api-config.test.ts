import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ config: { media: { s3: { secretKey: 'very secret' } } } });
});

afterAll(() => app.close());

const file = async () => JSON.parse(await readFile(join(app.workspace.path, 'config.json'), 'utf8'));

describe('/api/config', () => {
  it('is for admins', async () => {
    const token = await app.userToken('plain');
    for (const method of ['GET', 'POST']) {
      expect((await app.inject(method, '/api/config', { token: null })).status).toBe(401);
      const { status, headers } = await app.inject(method, '/api/config', { token });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/api/config"']);
    }
  });

  it('shows what is in force, without secrets', async () => {
    const { status, body, text } = await app.inject('GET', '/api/config');
    expect(status).toBe(200);
    expect(body).toMatchObject({ auth: { tokenTtl: 1800 }, media: { s3: { secretKey: '********' } } });
    expect(text).not.toContain('very secret');
  });

  it('writes a part into the file, for the next start', async () => {
    const body = { auth: { tokenTtl: 60 }, media: { s3: { secretKey: '********' } } };
    const answer = await app.inject('POST', '/api/config', { body });
    expect([answer.status, answer.body]).toEqual([
      200,
      { result: 'success', message: 'server restart required' },
    ]);
    expect(await file()).toMatchObject({
      auth: { tokenTtl: 60 },
      media: { s3: { secretKey: 'very secret' } },
    });
    expect((await app.inject('GET', '/api/config')).body.auth.tokenTtl).toBe(1800);
  });

  it('takes JSON as plain text', async () => {
    const options = { body: '{"cache":{"ttl":5}}', headers: { 'content-type': 'text/plain' } };
    expect((await app.inject('POST', '/api/config', options)).status).toBe(200);
  });

  it('refuses wrong values, naming them, and writes nothing', async () => {
    const before = await file();
    const body = { auth: { tokenTtl: 'soon' }, cache: { ttl: 7 } };
    const { status, body: answer } = await app.inject('POST', '/api/config', { body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ success: false, errors: [{ field: 'auth.tokenTtl' }] });
    expect(await file()).toEqual(before);
  });

  it.each(['[]', 'null', '5', '{', undefined])('refuses the body %s', async (body) => {
    expect((await app.inject('POST', '/api/config', { body })).status).toBe(400);
  });

  it('takes no other method', async () => {
    const { status, headers } = await app.inject('PUT', '/api/config', { body: {} });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  });
});
