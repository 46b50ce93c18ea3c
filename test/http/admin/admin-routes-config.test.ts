import { chmod, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../helpers/app/app.ts';

let app: TestApp;

beforeAll(async () => {
  const media = { s3: { secretKey: 'very secret' } };
  const cache = { engine: 'filesystem', path: 'workspace/config.json' };
  app = await startApp({ config: { media, cache, sandbox: { review: 'all' } } });
});

afterAll(() => app.close());

const path = () => join(app.workspace.path, 'config.json');
const text = () => readFile(path(), 'utf8');
const post = (body: unknown) => app.inject('POST', '/api/config', { body });

describe('/api/config', () => {
  it('is for admins', async () => {
    const token = await app.userToken('plain');
    for (const method of ['GET', 'POST']) {
      expect((await app.inject(method, '/api/config', { token: null })).status).toBe(401);
      const { status, headers } = await app.inject(method, '/api/config', { token });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="/api/config"']);
    }
  });

  it('shows the current configuration without secrets', async () => {
    const { status, body, text: shown } = await app.inject('GET', '/api/config');
    expect(status).toBe(200);
    expect(body).toMatchObject({ auth: { tokenTtl: 1800 }, media: { s3: { secretKey: '********' } } });
    expect(shown).not.toContain('very secret');
  });

  it('accepts its own output, and writes nothing', async () => {
    const before = await text();
    const { body } = await app.inject('GET', '/api/config');
    expect(body.sandbox.review).toBe('all');
    expect((await post(body)).status).toBe(200);
    expect(await text()).toBe(before);
  });

  it('writes a change into the file, for the next start, readable by its owner only', async () => {
    await chmod(path(), 0o644);
    const body = { auth: { tokenTtl: 60 }, media: { s3: { secretKey: '********' } } };
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual([
      200,
      { result: 'success', message: 'server restart required' },
    ]);
    expect(JSON.parse(await text())).toMatchObject({
      auth: { tokenTtl: 60 },
      media: { s3: { secretKey: 'very secret' } },
    });
    expect((await app.inject('GET', '/api/config')).body.auth.tokenTtl).toBe(1800);
    expect((await stat(path())).mode & 0o777).toBe(0o600);
  });

  it('accepts JSON as plain text', async () => {
    const options = { body: '{"cache":{"ttl":5}}', headers: { 'content-type': 'text/plain' } };
    expect((await app.inject('POST', '/api/config', options)).status).toBe(200);
  });

  it.each([
    ['sandbox.review', { sandbox: { review: 'none' } }],
    ['sandbox.policyFile', { sandbox: { policyFile: '/nonexistent.json' } }],
    ['sandbox.minimumLevel', { sandbox: { minimumLevel: 1 } }],
    ['sandbox.jitDomains', { sandbox: { jitDomains: ['mine'] } }],
    ['sandbox.hostMemoryMb', { sandbox: { hostMemoryMb: 65_536 } }],
    ['sandbox.secrets.KEY', { sandbox: { secrets: { KEY: 'mine' } } }],
    ['sandbox.review', { sandbox: null }],
    ['paths.hooks', { paths: { hooks: '/etc' } }],
    ['paths.collections', { paths: { collections: '../..' } }],
    ['database.sqlite.path', { database: { sqlite: { path: '/etc/hostname' } } }],
    ['database.engine', { database: { engine: 'mongodb' } }],
    ['server.host', { server: { host: '256.1.1.1' } }],
    ['server.trustProxy', { server: { trustProxy: 1 } }],
    ['workspace.path', { workspace: { path: '/' } }],
    ['auth.tokenSecret', { auth: { tokenSecret: 'x'.repeat(40) } }],
    ['auth.admin.id', { auth: { admin: { id: 'mallory' } } }],
    ['auth.rateLimit.perClient', { auth: { rateLimit: { perClient: 1_000_000 } } }],
    ['auth.tokenTtl', { auth: { tokenTtl: 1801 } }],
    ['cache.engine', { cache: { engine: 'memory' } }],
    ['caching.path', { caching: { path: '/etc' } }],
    ['media.basePath', { media: { basePath: '/etc' } }],
    ['media.s3.secretKey', { media: { s3: { secretKey: null } } }],
    ['geolocation.url', { geolocation: { url: 'http://10.0.0.1/' } }],
    ['logging.level', { logging: { level: 'fatal' } }],
    ['limits.batch', { limits: { batch: 10_001 } }],
    ['unknown', { unknown: 1 }],
    ['sandbox.reveiw', { sandbox: { reveiw: 'none' } }],
    ['$schema', { $schema: 'http://a.example' }],
  ])('rejects %s with its name and where it is set, and writes nothing', async (field, body) => {
    const before = await text();
    const { status, body: answer } = await post({ cors: true, ...body });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ success: false, errors: [{ field, code: 'CONFIGURATION_INVALID' }] });
    expect(answer.errors).toHaveLength(1);
    expect(answer.errors[0].message).toMatch(/config\.json|CLOISTER_|is not a setting/);
    expect(await text()).toBe(before);
  });

  it('checks the configuration of the next start, and writes nothing that would prevent it', async () => {
    const before = await text();
    const cached = await post({ cache: true });
    expect([cached.status, cached.body.errors[0].field]).toEqual([400, 'cache.path']);
    const late = await post({ limits: { requestSeconds: 5 } });
    expect([late.status, late.body.errors[0].field]).toEqual([400, 'limits.requestSeconds']);
    expect(await text()).toBe(before);
  });

  it('rejects invalid values by name, and writes nothing', async () => {
    const before = await text();
    const { status, body: answer } = await post({ auth: { tokenTtl: 'soon' }, cache: { ttl: 7 } });
    expect(status).toBe(400);
    expect(answer).toMatchObject({ success: false, errors: [{ field: 'auth.tokenTtl' }] });
    expect(await text()).toBe(before);
  });

  it('rejects a body of many members without checking each', async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, 1]));
    const { status, body } = await post(many);
    expect([status, body.errors.length]).toEqual([400, 1]);
    const large = await post(Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`k${n}`, 1])));
    expect(large.status).toBe(413);
  });

  it.each(['[]', 'null', '5', '{', undefined])('refuses the body %s', async (body) => {
    expect((await app.inject('POST', '/api/config', { body })).status).toBe(400);
  });

  it('supports no other method', async () => {
    const { status, headers } = await app.inject('PUT', '/api/config', { body: {} });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST, OPTIONS']);
  });
});
