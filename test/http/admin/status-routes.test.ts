import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { formatUptime } from '../../../src/http/admin/status-routes.ts';
import { startApp, type TestApp } from '../../helpers/app/app.ts';
import { ADMIN } from '../../helpers/server-process/server-process.ts';
import { openFailingStore } from '../../helpers/store/temporary-store.ts';
import { startEndpointApp } from '../modules/endpoint-app.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});

afterAll(() => app.close());

describe('/api/status', () => {
  it.each(['GET', 'POST'])('answers %s without a body to any client', async (method) => {
    const token = await app.userToken(`plain-${method}`);
    const { status, body, text } = await app.inject(method, '/api/status', { token });
    expect(status).toBe(200);
    expect(body).toEqual({
      service: {
        site: expect.any(String),
        package: 'cloister',
        versions: { current: expect.stringMatching(/^\d+\.\d+\.\d+/), latest: null },
      },
      process: {
        pid: process.pid,
        uptime: expect.any(Number),
        uptimeFormatted: expect.any(String),
        versions: { node: process.versions.node, v8: process.versions.v8 },
      },
      memory: { rss: expect.any(Number), heapTotal: expect.any(Number), heapUsed: expect.any(Number) },
      system: expect.objectContaining({ platform: process.platform, load: expect.any(Array) }),
      routes: [],
    });
    expect(text).not.toContain(ADMIN.secret);
  });

  it('shows the state of the sandbox to admins only', async () => {
    const custom = startEndpointApp();
    const sandbox = {
      level: 2,
      missing: ['a lock'],
      selfTest: { state: 'passed', items: [] },
      hosts: { running: 1, busy: 0, spare: 1, max: 16 },
      processes: [{ state: 'spare', memory: 1_000_000, uptime: 5, jit: false }],
    };
    expect((await custom.ask('GET', '/api/status', { as: 'admin' })).body.sandbox).toEqual(sandbox);
    expect((await custom.ask('GET', '/api/status', { as: 'user' })).body.sandbox).toBeUndefined();
  });

  it('shows the database, caches, queues and limits to admins only', async () => {
    const { body, text } = await app.inject('GET', '/api/status');
    expect(body).toMatchObject({
      store: { engine: 'sqlite', isReachable: true, pingMs: expect.any(Number), bytes: expect.any(Number) },
      queues: {
        calls: { waiting: 0, running: 0 },
        commits: { waiting: 0, maxWaiting: expect.any(Number) },
        renderings: {
          waiting: 0,
          running: 0,
          maxWaiting: expect.any(Number),
          maxRunning: expect.any(Number),
        },
      },
      caches: {
        responses: { engine: null, isReachable: true },
        renderedImages: { lookups: { hits: 0, misses: 0 } },
      },
      uploads: { running: 0, bytes: 0, maxRunning: expect.any(Number), maxBytes: expect.any(Number) },
      unsentBytes: { used: expect.any(Number), max: expect.any(Number) },
      audit: { entries: expect.any(Number), newestAt: expect.any(Number), unwritten: 0 },
    });
    expect(body.store.bytes).toBeGreaterThan(4096);
    expect(text).not.toContain(app.workspace.path);
    const token = await app.userToken('nosy');
    const members = Object.keys((await app.inject('GET', '/api/status', { token })).body);
    expect(members).toEqual(['service', 'process', 'memory', 'system', 'routes']);
  });

  it('tells that the database is away, and answers all the same', async () => {
    const store = await openFailingStore();
    const away = await startApp({ store });
    onTestFinished(() => away.close());
    // Who asks is known already.
    await away.inject('GET', '/api/me');
    store.fail();
    const { status, body } = await away.inject('GET', '/api/status');
    store.recover();
    expect(status).toBe(200);
    expect(body.store).toMatchObject({ isReachable: false, pingMs: null, bytes: null });
    expect(body.audit).toMatchObject({ entries: null, newestAt: null });
  });

  it('shows to admins only how many files were opened and never closed', async () => {
    const leaking = await startApp({ options: { leakedFiles: () => 3 } });
    onTestFinished(() => leaking.close());
    expect((await leaking.inject('GET', '/api/status')).body.leakedFiles).toBe(3);
    expect((await app.inject('GET', '/api/status')).body.leakedFiles).toBe(0);
    const token = await app.userToken('curious');
    expect((await app.inject('GET', '/api/status', { token })).body).not.toHaveProperty('leakedFiles');
  });

  it('requires a token', async () => {
    expect((await app.inject('GET', '/api/status', { token: null })).status).toBe(401);
  });
});

describe('formatUptime', () => {
  it.each([
    [0, '0d 0h 0m 0s'],
    [59.9, '0d 0h 0m 59s'],
    [90_061, '1d 1h 1m 1s'],
    [10 * 86_400, '10d 0h 0m 0s'],
  ])('formats %d seconds as %s', (seconds, text) => {
    expect(formatUptime(seconds)).toBe(text);
  });
});
