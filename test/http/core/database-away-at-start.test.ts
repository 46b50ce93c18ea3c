// A server that is started without its database: it listens, says 503 where it cannot know, and completes its start later.
import { describe, expect, it } from 'vitest';
import { type FailingStoreApp, startFailingStoreApp } from '../../helpers/app/failing-store-app.ts';
import { LIBRARY } from '../../helpers/fixtures/library.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';

const BOOKS = '/1.0/library/books';
const TOKEN_SECRET = 'a configured secret of at least thirty-two characters';
const OPEN = { fields: { title: {} }, settings: { authenticate: false } };

function expectAway(answer: Awaited<ReturnType<FailingStoreApp['ask']>>, what = '') {
  expect(answer.status, what).toBe(503);
  expect(answer.headers['retry-after'], what).toMatch(/^[1-9]\d*$/);
  expect(answer.headers['www-authenticate'], what).toBeUndefined();
  expect(answer.body, what).toEqual({
    statusCode: 503,
    success: false,
    errors: [
      { message: 'The database is unavailable', code: 'API-0004', title: 'The database is unavailable' },
    ],
  });
}

/** With a secret of its own the server of an earlier run has given out a token that a later one can tell is good. */
async function tokenOfBefore(env: Readonly<Record<string, string>> = {}) {
  const all = { CLOISTER_ADMIN_ID: ADMIN.clientId, CLOISTER_ADMIN_SECRET: ADMIN.secret, ...env };
  const earlier = await startFailingStoreApp({ failing: false, env: all });
  const token = await earlier.login();
  await earlier.close();
  return { token, earlier, env: all };
}

describe('until the database is there, the server', () => {
  it('answers /hello, and /health with 503', async () => {
    const { ask } = await startFailingStoreApp({ failing: true });
    expect(await ask('GET', '/hello')).toMatchObject({ status: 200, text: 'Welcome to API' });
    expectAway(await ask('GET', '/health'));
    expectAway(await ask('GET', '/health', { token: 'bad' }));
  });

  it('shows links and pages to anyone, and describes nothing that it cannot know', async () => {
    const { ask } = await startFailingStoreApp({ failing: true });
    expect((await ask('GET', '/')).status).toBe(200);
    for (const path of ['/admin', '/docs'])
      expect([200, 404], path).toContain((await ask('GET', path)).status);
    expectAway(await ask('GET', '/docs/openapi.json'));
    for (const path of ['/docs/openapi.json', '/api/me', '/api/audit']) {
      expectAway(await ask('GET', path, { token: 'whatever' }), path);
    }
  });

  it('neither issues tokens nor rejects credentials', async () => {
    const { ask } = await startFailingStoreApp({ failing: true });
    for (const body of [ADMIN, { clientId: 'nobody', secret: 'wrong' }, {}, [], { clientId: 1 }]) {
      expectAway(await ask('POST', '/token', { body }), JSON.stringify(body));
    }
  });

  it('rejects no token as bad that it cannot verify', async () => {
    const { ask } = await startFailingStoreApp({ failing: true });
    for (const path of [BOOKS, '/1.0/report', '/nowhere', '/api/status', '/api/config', '/favicon.ico']) {
      expectAway(await ask('GET', path, { token: 'whatever' }), path);
    }
  });

  it('verifies tokens where the secret is configured', async () => {
    const { token, earlier, env } = await tokenOfBefore({ CLOISTER_AUTH_TOKEN_SECRET: TOKEN_SECRET });
    const { ask } = await startFailingStoreApp({ failing: true, earlier, env });
    for (const path of [BOOKS, '/1.0/report', '/nowhere', '/api/status', '/api/config', '/favicon.ico']) {
      expectAway(await ask('GET', path, { token }), path);
      const bad = await ask('GET', path, { token: `${token}x` });
      expect(bad.status, path).toBe(401);
      expect(bad.headers['www-authenticate']).toContain('invalid_token');
    }
  });

  it('requires a token only where it knows that one is needed', async () => {
    const { ask } = await startFailingStoreApp({
      failing: true,
      specs: { ...LIBRARY, '1.0/library/open': OPEN },
    });
    for (const path of [BOOKS, `${BOOKS}/config`, '/api/clients', '/nowhere', '/api/hooks/x']) {
      expect((await ask('GET', path)).status, path).toBe(401);
    }
    for (const path of ['/1.0/library/open', '/1.0/library/open/count', '/1.0/report', '/1.0/a/b/c/d']) {
      expectAway(await ask('GET', path), path);
    }
    expectAway(await ask('POST', '/1.0/library/open', { body: { title: 'x' } }));
  });

  it.each(['timeout', 'busy'] as const)('is the same where the database says %s', async (reason) => {
    const { app, store, ask } = await startFailingStoreApp({ failing: true });
    store.fail(reason);
    expectAway(await ask('GET', '/health'));
    store.recover();
    await app.started;
    expect((await ask('GET', '/health')).status).toBe(200);
  });
});

describe('once the database is there', () => {
  it('everything works without a restart', async () => {
    const { app, store, ask, login, log } = await startFailingStoreApp({ failing: true });
    store.recover();
    await app.started;
    expect((await ask('GET', '/health')).status).toBe(200);
    const token = await login();
    expect((await ask('POST', BOOKS, { token, body: { title: 'Dune' } })).status).toBe(200);
    const { body } = await ask('GET', `${BOOKS}/stats`, { token });
    expect(Object.keys(body.indexSizes)).toEqual(expect.arrayContaining(['title_1', 'pages_1_title_1']));
    expect((await ask('GET', '/1.0/report')).status).toBe(401);
    expect((await ask('GET', '/1.0/report', { token })).status).toBe(404);
    const said = log.map((line) => JSON.parse(line)).filter(({ msg }) => /database/.test(msg));
    expect(said.map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'database unavailable, startup continues when it is back'],
      [30, 'database connected, startup complete'],
    ]);
  });

  it('the first admin is created and logged once, not again at the next start', async () => {
    const first = await startFailingStoreApp({ failing: true, env: {} });
    expect(first.admins).toEqual([]);
    first.store.recover();
    await first.app.started;
    expect(first.admins).toEqual([{ id: 'admin', secret: expect.stringMatching(/^\S{20,}$/) }]);
    const [{ id: clientId, secret } = { id: '', secret: '' }] = first.admins;
    expect((await first.ask('POST', '/token', { body: { clientId, secret } })).status).toBe(200);
    await first.close();
    const second = await startFailingStoreApp({ failing: true, env: {}, earlier: first });
    second.store.recover();
    await second.app.started;
    expect(second.admins).toEqual([]);
  });

  it('tokens of an earlier run are good again', async () => {
    const { token, earlier, env } = await tokenOfBefore();
    const { app, store, ask } = await startFailingStoreApp({ failing: true, earlier, env });
    expectAway(await ask('GET', BOOKS, { token }));
    store.recover();
    await app.started;
    expect((await ask('GET', BOOKS, { token })).status).toBe(200);
    expect((await ask('GET', BOOKS, { token: `${token}x` })).status).toBe(401);
  });

  it.each([['ensureIndexes'], ['commit'], ['find']] as const)(
    'a start that got half of the way goes on from there: %s fails',
    async (operation) => {
      const { app, store, ask, admins } = await startFailingStoreApp({ failing: [operation], env: {} });
      expect(store.failed).not.toEqual([]);
      expectAway(await ask('GET', '/health'));
      store.recover();
      await app.started;
      expect(admins).toHaveLength(1);
      expect((await ask('GET', '/health')).status).toBe(200);
    },
  );

  it('a configuration that does not fit the database ends startup', async () => {
    const env = { CLOISTER_ADMIN_ID: 'no such id', CLOISTER_ADMIN_SECRET: 'secret' };
    await expect(startFailingStoreApp({ failing: false, env })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
    });
    const { app, store, ask } = await startFailingStoreApp({ failing: true, env });
    store.recover();
    await expect(app.started).rejects.toMatchObject({ code: 'BAD_REQUEST' });
    expectAway(await ask('GET', '/health'));
  });

  it('a server that was closed before waits for nothing', async () => {
    const { store, close, log } = await startFailingStoreApp({ failing: true });
    await close();
    const asked = store.failed.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(store.failed).toHaveLength(asked);
    expect(log.some((line) => line.includes('has come'))).toBe(false);
  });
});
