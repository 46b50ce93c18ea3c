import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

const post = (body: unknown) => app.inject('POST', '/api/clients', { body });

describe('/api/clients', () => {
  it('is for admins', async () => {
    expect((await app.inject('GET', '/api/clients', { token: null })).status).toBe(401);
    const token = await app.userToken('plain');
    const { status, headers } = await app.inject('GET', '/api/clients?x', { token });
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/api/clients"']);
  });

  it('creates a client and shows a generated secret once', async () => {
    const { status, body } = await post({ clientId: 'generated' });
    expect(status).toBe(201);
    expect(body).toEqual({
      results: [{ clientId: 'generated', accessType: 'user', secret: expect.any(String) }],
    });
    expect(await app.token('generated', body.results[0].secret)).toEqual(expect.any(String));
    const read = await app.inject('GET', '/api/clients/generated');
    expect(read.body).toEqual({ results: [{ clientId: 'generated', accessType: 'user' }] });
  });

  it('does not show a chosen secret', async () => {
    const secret = 'a secret of my own';
    const { text } = await post({ clientId: 'chosen', secret, accessType: 'admin' });
    expect(text).not.toContain(secret);
    expect((await app.inject('GET', '/api/clients')).text).not.toContain(secret);
  });

  it('lists all clients', async () => {
    const { body } = await app.inject('GET', '/api/clients');
    expect(body.results).toContainEqual({ clientId: ADMIN.clientId, accessType: 'admin' });
  });

  it('shows and changes permissions', async () => {
    const permissions = { collections: [{ path: 'books', apiVersion: '1.0' }] };
    await post({ clientId: 'limited', permissions });
    const read = await app.inject('GET', '/api/clients/limited');
    expect(read.body).toEqual({ results: [{ clientId: 'limited', accessType: 'user', permissions }] });
    const change = { permissions: { collections: [{ path: 'people' }] } };
    const { status, body } = await app.inject('PUT', '/api/clients/limited', { body: change });
    expect([status, body]).toEqual([
      200,
      { results: [{ clientId: 'limited', accessType: 'user', ...change }] },
    ]);
  });

  it('sets another secret, which ends old tokens', async () => {
    const token = await app.userToken('rotated');
    expect((await app.inject('GET', '/api/status', { token })).status).toBe(200);
    const { status, body } = await app.inject('PUT', '/api/clients/rotated/secret');
    expect(status).toBe(200);
    expect((await app.inject('GET', '/api/status', { token })).status).toBe(401);
    expect(await app.token('rotated', body.results[0].secret)).toEqual(expect.any(String));
    const chosen = { body: { secret: 'another secret of mine' } };
    const { body: quiet } = await app.inject('PUT', '/api/clients/rotated/secret', chosen);
    expect(quiet.results[0]).not.toHaveProperty('secret');
  });

  it('removes a client and its tokens', async () => {
    const token = await app.userToken('removed');
    const { status, text } = await app.inject('DELETE', '/api/clients/removed');
    expect([status, text]).toEqual([204, '']);
    expect((await app.inject('GET', '/api/status', { token })).status).toBe(401);
  });

  it.each([
    ['GET', '/api/clients/nobody', undefined],
    ['PUT', '/api/clients/nobody', { accessType: 'user' }],
    ['DELETE', '/api/clients/nobody', undefined],
    ['PUT', '/api/clients/nobody/secret', undefined],
  ])('%s %s is 404', async (method, path, body) => {
    expect((await app.inject(method, path, { body })).status).toBe(404);
  });

  it('rejects an id that exists, and removing the last admin', async () => {
    expect((await post({ clientId: ADMIN.clientId })).status).toBe(409);
    await app.inject('DELETE', '/api/clients/chosen');
    const path = `/api/clients/${ADMIN.clientId}`;
    expect((await app.inject('DELETE', path)).status).toBe(409);
    expect((await app.inject('PUT', path, { body: { accessType: 'user' } })).status).toBe(409);
  });

  it.each([
    {},
    { clientId: 5 },
    { clientId: '' },
    { clientId: 'x', accessType: 'root' },
    { clientId: 'x', secret: {} },
    [],
  ])('rejects %j in the envelope', async (body) => {
    const { status, body: answer } = await post(body);
    expect(status).toBe(400);
    expect(answer).toMatchObject({ statusCode: 400, success: false });
  });

  it('supports no other methods', async () => {
    const { status, headers } = await app.inject('DELETE', '/api/clients');
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  });
});
