// What the configuration does to a running server: sources, namespaces, cache, files that change under it.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/setting-names.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { startApp, type TestApp } from '../helpers/app/app.ts';
import { LIBRARY } from '../helpers/fixtures/library.ts';
import { pollWithin } from '../helpers/server-process/timing.ts';
import { createWorkspace } from '../helpers/temp/workspace.ts';

const PLAIN: JsonObject = { fields: { title: {}, n: { type: 'Number' } }, settings: {} };
const apps: TestApp[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function open(options: Parameters<typeof startApp>[0]): Promise<TestApp> {
  const app = await startApp(options);
  apps.push(app);
  return app;
}

const titles = async (app: TestApp, path: string) =>
  (await app.inject('GET', path)).body.results.map(({ title }: { title: string }) => title);

describe('the environment', () => {
  it('sets numbers, booleans, lists and objects, over the file', async () => {
    const workspace = createWorkspace({ 'v/d/c': PLAIN }, { auth: { tokenTtl: 5 }, limits: { batch: 7 } });
    mkdirSync(join(workspace.cwd, 'config'));
    writeFileSync(join(workspace.cwd, 'config/config.production.json'), '{"limits":{"batch":1}}');
    writeFileSync(join(workspace.path, 'config.production.json'), '{"limits":{"batch":1}}');
    const app = await open({
      workspace,
      env: {
        NODE_ENV: 'production',
        CLOISTER_AUTH_TOKEN_TTL: '77',
        CLOISTER_FEEDBACK: 'true',
        CLOISTER_CORS_ENABLED: 'true',
        CLOISTER_CORS_ORIGINS: 'https://a.example,https://b.example',
        CLOISTER_CACHE: '{"enabled":true,"ttl":60}',
      },
    });
    const { body } = await app.inject('GET', '/api/config');
    expect(body).toMatchObject({
      auth: { tokenTtl: 77 },
      limits: { batch: 7 },
      feedback: { enabled: true },
      cors: { enabled: true, origins: ['https://a.example', 'https://b.example'] },
      cache: { enabled: true, ttl: 60, engine: 'memory' },
    });
    expect((await app.inject('DELETE', '/v/d/c', { body: { query: {}, all: true } })).body).toEqual({
      status: 'success',
      message: 'Documents deleted successfully',
      deleted: 0,
      deletedCount: 0,
      totalCount: 0,
    });
    workspace.remove();
  });

  it('chooses the workspace', async () => {
    const workspace = createWorkspace({ 'v/d/c': PLAIN });
    const elsewhere = createWorkspace({ 'v/d/other': PLAIN }, { server: { name: 'Elsewhere' } });
    const app = await open({ workspace, env: { CLOISTER_WORKSPACE_PATH: elsewhere.path } });
    expect((await app.inject('GET', '/v/d/other')).headers['server']).toBe('Elsewhere');
    expect((await app.inject('GET', '/v/d/c')).status).toBe(404);
    for (const one of [workspace, elsewhere]) one.remove();
  });
});

describe('/api/config', () => {
  it('leaves unknown keys out of the answer and in the file', async () => {
    const app = await open({ config: { custom: { a: 1 }, server: { odd: 2 } } });
    const { body } = await app.inject('GET', '/api/config');
    expect(body).not.toHaveProperty('custom');
    expect(body.server).not.toHaveProperty('odd');
    const post = async (body: object) => (await app.inject('POST', '/api/config', { body })).status;
    expect(await post({ auth: { tokenTtl: 9 }, more: 3 })).toBe(400);
    expect(await post({ auth: { tokenTtl: 9 } })).toBe(200);
    // The database and its time are those of the test run.
    const {
      database: _database,
      limits: _limits,
      ...file
    } = JSON.parse(readFileSync(join(app.workspace.path, 'config.json'), 'utf8'));
    expect(file).toEqual({
      custom: { a: 1 },
      server: { odd: 2 },
      auth: { tokenTtl: 9 },
    });
  });

  it('is in a file that nobody but its owner can read once a server has started', async () => {
    const workspace = createWorkspace(LIBRARY, { auth: { tokenSecret: 'x'.repeat(40) } });
    const file = join(workspace.path, 'config.json');
    chmodSync(file, 0o644);
    const app = await startApp({ workspace });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await app.close();
    workspace.remove();
  });

  it('takes no limit with which the next start would fail', async () => {
    const workspace = createWorkspace(LIBRARY);
    const app = await startApp({ workspace });
    // The time of queries is left alone: how little of it is enough depends on the machine.
    const lowest = SETTINGS.flatMap(({ path, leaf }) => {
      const least = 'minimum' in leaf ? leaf.minimum : undefined;
      if (leaf.overHttp !== 'lower' || least === undefined || path === 'limits.queryMs') return [];
      const [block = '', key = ''] = path.split('.');
      return [{ [block]: { [key]: least } }];
    });
    for (const body of lowest.reverse()) {
      const { status, text } = await app.inject('POST', '/api/config', { body });
      // Headers never have more time than the whole request.
      expect(status, text).toBe('requestSeconds' in (body['limits'] ?? {}) ? 400 : 200);
    }
    await app.close();
    const again = await startApp({ workspace });
    expect((await again.inject('GET', '/1.0/library/books')).status).toBe(200);
    await again.close();
    workspace.remove();
  });

  it('takes back what it showed; edits by hand wait for a restart', async () => {
    const workspace = createWorkspace(LIBRARY, { auth: { tokenSecret: 'x'.repeat(40) } });
    const app = await startApp({ workspace });
    const shown = await app.inject('GET', '/api/config');
    expect(shown.body.auth.tokenSecret).toBe('********');
    const { workspace: _path, ...body } = shown.body;
    // These came from the environment of this test, which the file knows nothing of.
    body.auth.admin = undefined;
    expect((await app.inject('POST', '/api/config', { body })).status).toBe(200);
    const file = join(workspace.path, 'config.json');
    const written = JSON.parse(readFileSync(file, 'utf8'));
    expect(written.auth.tokenSecret).toBe('x'.repeat(40));
    writeFileSync(file, JSON.stringify({ ...written, server: { name: 'By hand' } }));
    expect((await app.inject('GET', '/hello')).headers['server']).toBe('Cloister');
    await app.close();
    const again = await startApp({ workspace });
    expect((await again.inject('GET', '/hello')).headers['server']).toBe('By hand');
    await again.close();
    workspace.remove();
  });
});

describe('namespaces', () => {
  const specs = { '1.0/a/books': PLAIN, '2.0/a/books': PLAIN, '1.0/b/books': PLAIN };

  it('are by collection name alone, unless database folders have their own', async () => {
    const shared = await open({ specs });
    await shared.inject('POST', '/1.0/a/books', { body: { title: 'x' } });
    for (const path of Object.keys(specs)) expect(await titles(shared, `/${path}`), path).toEqual(['x']);

    const apart = await open({ specs, config: { database: { enableCollectionDatabases: true } } });
    await apart.inject('POST', '/1.0/a/books', { body: { title: 'x' } });
    expect(await titles(apart, '/2.0/a/books')).toEqual(['x']);
    expect(await titles(apart, '/1.0/b/books')).toEqual([]);
  });

  it('unite the indexes that versions declare', async () => {
    const indexed = (...fields: readonly string[]) => ({
      ...PLAIN,
      settings: {
        index: fields.map((field) => ({ keys: { [field]: 1 }, options: { unique: field === 'n' } })),
      },
    });
    const app = await open({ specs: { '1.0/a/books': indexed('n'), '2.0/a/books': indexed('title') } });
    expect((await app.inject('POST', '/1.0/a/books', { body: { n: 1 } })).status).toBe(200);
    const refused = await app.inject('POST', '/2.0/a/books', { body: { n: 1 } });
    expect([refused.status, refused.body.errors[0]]).toEqual([
      400,
      expect.objectContaining({ field: 'n', message: 'must be unique', code: 'ERROR_UNIQUE' }),
    ]);
    for (const version of ['1.0', '2.0']) {
      const { body } = await app.inject('GET', `/${version}/a/books/stats`);
      expect(Object.keys(body.indexSizes).sort()).toEqual(['_id_', 'n_1', 'title_1']);
    }
  });

  it('share one file, so that a write across two is all or nothing', async () => {
    const reference = { type: 'Reference', settings: { database: 'b', collection: 'people' } };
    const person = { fields: { name: { required: true } }, settings: {} };
    const app = await open({
      specs: {
        '1.0/a/books': { fields: { title: {}, author: reference }, settings: {} },
        '1.0/b/people': person,
      },
      config: { database: { enableCollectionDatabases: true } },
    });
    const good = { title: 'x', author: { name: 'Ann' } };
    const bad = { title: 'y', author: { name: '' } };
    expect((await app.inject('POST', '/1.0/a/books', { body: [good, bad] })).status).toBe(400);
    expect(await titles(app, '/1.0/a/books')).toEqual([]);
    expect((await app.inject('GET', '/1.0/b/people/count')).body.metadata.totalCount).toBe(0);
    expect((await app.inject('POST', '/1.0/a/books', { body: good })).status).toBe(200);
    expect((await app.inject('GET', '/1.0/b/people/count')).body.metadata.totalCount).toBe(1);
  });
});

describe('the cache of responses', () => {
  const lookups = async (app: TestApp, path: string) => {
    const seen = [];
    for (let n = 0; n < 2; n += 1) seen.push((await app.inject('GET', path)).headers['x-cache']);
    return seen;
  };
  const specs = { 'v/d/on': PLAIN, 'v/d/off': { ...PLAIN, settings: { cache: false } } };

  it.each<[string, JsonObject]>([
    ['cache: true', { cache: true }],
    ['cache.enabled', { cache: { enabled: true, ttl: 5 } }],
    ['caching', { caching: { enabled: true, engine: 'filesystem', path: 'kept' } }],
  ])('is on with %s, for collections that say nothing against it', async (_name, config) => {
    const app = await open({ specs, config });
    for (const rest of ['', '/count']) {
      expect(await lookups(app, `/v/d/on${rest}`)).toEqual(['MISS', 'HIT']);
      expect(await lookups(app, `/v/d/off${rest}`)).toEqual([undefined, undefined]);
    }
    expect(existsSync(join(app.workspace.cwd, 'kept'))).toBe('caching' in config);
  });

  it('is off by default', async () => {
    expect(await lookups(await open({ specs }), '/v/d/on')).toEqual([undefined, undefined]);
  });
});

describe('files edited by hand', () => {
  it('are in force within 2 seconds; a broken one changes nothing', async () => {
    const app = await open({ specs: { 'v/d/books': PLAIN } });
    const folder = join(app.workspace.path, 'collections/v/d');
    const status = async (path: string) => (await app.inject('GET', path)).status;

    writeFileSync(join(folder, 'collection.added.json'), JSON.stringify(PLAIN));
    await pollWithin(2000, async () => expect(await status('/v/d/added')).toBe(200));

    const edited = { ...PLAIN, settings: { count: 3 } };
    writeFileSync(join(folder, 'collection.books.json'), JSON.stringify(edited));
    await pollWithin(2000, async () =>
      expect((await app.inject('GET', '/v/d/books')).body.metadata.limit).toBe(3),
    );

    writeFileSync(join(folder, 'collection.books.json'), '{"fields":');
    rmSync(join(folder, 'collection.added.json'));
    await pollWithin(2000, async () => expect(await status('/v/d/added')).toBe(404));
    expect((await app.inject('GET', '/v/d/books')).body.metadata.limit).toBe(3);
    expect((await app.inject('GET', '/v/d/books/config')).body).toEqual(edited);
  });
});

describe('reserved collections', () => {
  it('have no path, whether their specification lies in a file or is posted', async () => {
    const names = ['cloister.clients', 'cloister.secrets', 'system.users', 'CLOISTER.clients'];
    const specs = Object.fromEntries(names.map((name) => [`1.0/library/${name}`, PLAIN]));
    const app = await open({ specs: { ...LIBRARY, ...specs } });
    for (const name of names) {
      expect((await app.inject('GET', `/1.0/library/${name}`)).status, name).toBe(404);
      const posted = await app.inject('POST', `/1.0/library/${name}/config`, { body: PLAIN });
      expect([posted.status, posted.body.errors[0].field]).toEqual([400, 'collection']);
      const settings = { storeRevisions: true, revisionCollection: name };
      const revised = await app.inject('POST', '/1.0/library/fresh/config', { body: { ...PLAIN, settings } });
      expect(revised.status, name).toBe(400);
    }
  });
});
