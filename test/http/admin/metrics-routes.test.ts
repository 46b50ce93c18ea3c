// Who may read `/metrics`, on both listeners.
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { injectInto, startApp, type TestApp } from '../../helpers/app/app.ts';
import { startFailingStoreApp } from '../../helpers/app/failing-store-app.ts';

const SECRET = 'the-token-of-prometheus';

let app: TestApp | undefined;

afterEach(async () => {
  await app?.close();
  app = undefined;
});

async function listenersOf(metrics: JsonObject) {
  app = await startApp({ config: { metrics } });
  const started = app;
  const delivery = await started.app.deliveryServer();
  const get = async (token: string | null, method = 'GET', headers = {}) => {
    const content = await started.inject(method, '/metrics', { token, headers });
    const delivered = await injectInto(
      { server: delivery },
      { method, path: '/metrics' },
      { token, headers },
    );
    return [content, delivered] as const;
  };
  const statuses = async (token: string | null, method?: string) =>
    (await get(token, method)).map(({ status }) => status);
  return { started, get, statuses };
}

describe('/metrics', () => {
  it('is for whoever has the token of the configuration, and for admins', async () => {
    const { started, get, statuses } = await listenersOf({ token: SECRET });
    const user = await started.userToken('a-user');
    expect(await statuses(SECRET)).toEqual([200, 200]);
    expect(await statuses(await started.adminToken())).toEqual([200, 200]);
    for (const token of [null, user, `${SECRET}x`, SECRET.slice(1), 'a.b.c']) {
      const answers = await get(token);
      expect(answers.map(({ status }) => status)).toEqual([401, 401]);
      for (const { headers } of answers) expect(headers['www-authenticate']).toMatch(/^Bearer/);
    }
  });

  it('is for admins alone where there is no token', async () => {
    const { started, statuses } = await listenersOf({});
    expect(await statuses(await started.adminToken())).toEqual([200, 200]);
    expect(await statuses(null)).toEqual([401, 401]);
    expect(await statuses('undefined')).toEqual([401, 401]);
  });

  it('is for everybody where it is public, but not with a bad token', async () => {
    const { started, statuses } = await listenersOf({ public: true, token: SECRET });
    const user = await started.userToken('a-user');
    expect(await statuses(null)).toEqual([200, 200]);
    expect(await statuses(user)).toEqual([200, 200]);
    expect(await statuses(SECRET)).toEqual([200, 200]);
    expect(await statuses('a-bad-token')).toEqual([401, 401]);
  });

  it('does not exist where metrics are off', async () => {
    const { started, statuses } = await listenersOf({ enabled: false, token: SECRET });
    expect(await statuses(await started.adminToken())).toEqual([404, 404]);
    expect(await statuses(null)).toEqual([401, 404]);
    expect(await statuses(SECRET)).toEqual([401, 404]);
  });

  it('takes GET and HEAD, and is never stored', async () => {
    const { get, statuses } = await listenersOf({ token: SECRET });
    for (const { headers, text } of await get(SECRET, 'HEAD')) {
      expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
      expect(headers['cache-control']).toBe('no-store');
      expect(text).toBe('');
    }
    for (const { status, headers } of await get(SECRET, 'POST')) {
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
    expect(await statuses(null, 'POST')).toEqual([401, 401]);
    for (const { headers } of await get(SECRET, 'GET', { accept: 'application/openmetrics-text' })) {
      expect(headers['content-type']).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
    }
  });

  it('answers the token of the configuration while the database is away', async () => {
    const away = await startFailingStoreApp({ failing: true, config: { metrics: { token: SECRET } } });
    const answer = (token: string) => away.ask('GET', '/metrics', { token });
    const { status, text } = await answer(SECRET);
    expect([status, text]).toEqual([
      200,
      expect.stringMatching(/operations_total\{.*outcome="unavailable"\}/),
    ]);
    // Whether this is the token of an admin cannot be known now.
    expect((await answer(`${SECRET}x`)).status).toBe(503);
    await away.close();
  });

  it('keeps its token out of the log, the configuration that is shown, and what it tells', async () => {
    const log: string[] = [];
    app = await startApp({ config: { metrics: { token: SECRET } }, log, logLevel: 'debug' });
    const { text } = await app.inject('GET', '/metrics', { token: SECRET });
    const config = await app.inject('GET', '/api/config');
    expect(config.body.metrics).toMatchObject({ token: '********' });
    const change = { metrics: { public: true } };
    expect((await app.inject('POST', '/api/config', { body: change })).status).toBe(400);
    expect(log.join()).toContain('/metrics');
    expect(`${log.join()}${text}${config.text}`).not.toContain(SECRET);
  });
});
