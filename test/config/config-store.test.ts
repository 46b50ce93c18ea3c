import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConfigStore, createConfigStore } from '../../src/config/config-store.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import type { Config } from '../../src/config/schema.ts';
import { SETTINGS } from '../../src/config/setting-names.ts';
import { AppError } from '../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';
import { sha256Hex } from '../../src/lib/sha256.ts';

const SECRET = 'a signing secret of more than 32 characters';

let [cwd, path] = ['', ''];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-config-'));
  path = join(cwd, 'config.json');
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function open(content?: JsonObject, env = {}): Promise<ConfigStore> {
  if (content !== undefined) writeFileSync(path, JSON.stringify(content));
  const { config, file } = await loadConfig({ flags: existsSync(path) ? { config: path } : {}, env, cwd });
  if (!existsSync(path)) path = file;
  return createConfigStore({ config, file, env });
}

const stored = () => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

async function refusal(promise: Promise<unknown>) {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  const { code, items } = error as AppError;
  expect(code).toBe('CONFIGURATION_INVALID');
  return items.map(({ field, message }) => [field, message]);
}

describe('the config store', () => {
  it('shows the running configuration without its secrets', async () => {
    const store = await open({ auth: { tokenSecret: SECRET }, custom: 1 });
    expect(store.redacted()).toMatchObject({ auth: { tokenSecret: '********', tokenTtl: 1800 } });
    expect(JSON.stringify(store.redacted())).not.toContain(SECRET);
    expect(store.redacted()).not.toHaveProperty('custom');
  });

  it('keeps hidden secrets of families', async () => {
    const store = await open({ sandbox: { secrets: { A: 'first', B: 'second' } } });
    expect(store.redacted()).toMatchObject({ sandbox: { secrets: { A: '********', B: '********' } } });
    await store.save({ sandbox: { secrets: { A: '********' } }, cors: true });
    expect(stored()).toEqual({ sandbox: { secrets: { A: 'first', B: 'second' } }, cors: true });
  });

  it('does not copy a secret of the environment into the file', async () => {
    const store = await open({}, { CLOISTER_SANDBOX_SECRETS_A: 'from the environment' });
    expect(store.redacted()).toMatchObject({ sandbox: { secrets: { A: '********' } } });
    await store.save(store.redacted());
    expect(readFileSync(path, 'utf8')).not.toContain('from the environment');
  });

  it('merges a change into the file, which a later start reads', async () => {
    const store = await open({ auth: { tokenTtl: 7, tokenSecret: SECRET }, custom: { kept: true } });
    const before = sha256Hex(readFileSync(path, 'utf8'));
    const changes: object[] = [];
    await store.save({ auth: { tokenTtl: 6 }, cors: true }, async (change, write) => {
      // Whoever stands before the change sees the file as it was.
      expect(sha256Hex(readFileSync(path, 'utf8'))).toBe(before);
      changes.push(change);
      await write();
    });
    expect(changes).toEqual([{ before, after: sha256Hex(readFileSync(path, 'utf8')) }]);
    expect(stored()).toEqual({
      auth: { tokenTtl: 6, tokenSecret: SECRET },
      custom: { kept: true },
      cors: true,
    });
    const { config } = await loadConfig({ flags: { config: path }, env: {}, cwd });
    expect(config.auth.tokenTtl).toBe(6);
  });

  it('leaves the running configuration alone', async () => {
    const store = await open({});
    await store.save({ auth: { tokenTtl: 6 } });
    expect(store.redacted()).toMatchObject({ auth: { tokenTtl: 1800 } });
  });

  it('makes file and folder when there are none', async () => {
    const store = await open();
    const befores: (string | null)[] = [];
    await store.save({ cache: true }, ({ before }, write) => write().then(() => void befores.push(before)));
    expect(befores).toEqual([null]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(path).toBe(join(cwd, 'workspace', 'config.json'));
    expect(stored()).toEqual({ cache: true });
  });

  it('takes back everything that it showed, and changes nothing by it', async () => {
    const env = { CLOUD_S3_SECRET_KEY: 'from the environment' };
    const content = { auth: { tokenSecret: SECRET }, limits: { batch: 7 }, cache: true };
    const store = await open(content, env);
    await store.save(store.redacted(), () => expect.unreachable());
    expect(readFileSync(path, 'utf8')).toBe(JSON.stringify(content));
  });

  it('does not copy what the environment sets into the file', async () => {
    const env = {
      CLOISTER_ADMIN_ID: 'root',
      CLOISTER_ADMIN_SECRET: 'a long secret',
      CLOISTER_CACHE_TTL: '9',
    };
    const store = await open({}, env);
    await store.save({ ...store.redacted(), cors: { enabled: true } });
    expect(stored()).toEqual({ cors: { enabled: true } });
  });

  it('names every wrong value as it was posted, and writes nothing', async () => {
    const store = await open({ server: { name: 'a' } });
    const wrong = store.save({ caching: { ttl: 'soon' }, auth: { tokenTtl: 0 }, cors: 5 });
    expect((await refusal(wrong)).sort()).toEqual([
      ['auth.tokenTtl', 'must be 1 or more'],
      ['caching.ttl', 'must be a number'],
      ['cors', 'must be an object, true or false'],
    ]);
    expect(stored()).toEqual({ server: { name: 'a' } });
  });

  it('refuses an object in the place of a single value, an empty one too', async () => {
    const store = await open({});
    for (const batch of [{}, { a: {} }, { a: 1 }]) {
      const expected = [['limits.batch', 'must be a whole number']];
      expect(await refusal(store.save({ limits: { batch } }))).toEqual(expected);
    }
  });

  it('leaves the settings of the operator alone, wherever they stand', async () => {
    const content = { server: { name: 'a' }, sandbox: { review: 'all' }, limits: { batch: 10 }, custom: 1 };
    const store = await open(content, { CLOISTER_SANDBOX_REVIEW: 'grants' });
    const wrong = store.save({
      server: null,
      limits: { batch: null, pageSize: 1001 },
      custom: 2,
      caching: { path: '/etc' },
      // The environment decides now; what stands in the file is for when it does not any more.
      sandbox: { review: 'none' },
    });
    expect(Object.fromEntries(await refusal(wrong))).toEqual({
      'server.name': 'cannot be changed over HTTP: set it in config.json or by CLOISTER_SERVER_NAME',
      'limits.batch':
        'cannot be raised over HTTP above 10: set it in config.json or by CLOISTER_LIMITS_BATCH',
      'limits.pageSize':
        'cannot be raised over HTTP above 1000: set it in config.json or by CLOISTER_LIMITS_PAGE_SIZE',
      'caching.path': 'cannot be changed over HTTP: set it in config.json or by CLOISTER_CACHE_PATH',
      'sandbox.review': 'cannot be changed over HTTP: set it in config.json or by CLOISTER_SANDBOX_REVIEW',
      custom: 'is not a setting',
    });
    expect(stored()).toEqual(content);
    await store.save({ limits: { batch: 9, pageSize: 5 } });
    await store.save({ limits: { batch: 10 } });
    // There is nothing to take away.
    await store.save({ limits: { queryMs: null }, cache: null });
    expect(stored()).toEqual({ ...content, limits: { batch: 10, pageSize: 5 } });
  });

  it('does not undo what the operator edits while the server runs', async () => {
    const store = await open({ sandbox: { review: 'none' } });
    writeFileSync(path, JSON.stringify({ sandbox: { review: 'all' } }));
    await store.save({ ...store.redacted(), cors: true });
    expect(stored()).toEqual({ sandbox: { review: 'all' }, cors: true });
  });

  it('tries what a start would open, with all that the start would see', async () => {
    const tried: unknown[] = [];
    const file = join(cwd, 'config.json');
    const { config } = await loadConfig({ flags: {}, env: {}, cwd });
    const tryStart = async ({ cache, limits }: Config) => {
      tried.push([cache.enabled, cache.ttl, limits.batch]);
      throw new AppError('CONFIGURATION_INVALID', { field: 'cache.path', message: 'cannot be opened' });
    };
    writeFileSync(file, JSON.stringify({ limits: { batch: 3 } }));
    const store = createConfigStore({ config, file, env: { CLOISTER_CACHE_TTL: '8' }, tryStart });
    expect(await refusal(store.save({ cache: true }))).toEqual([['cache.path', 'cannot be opened']]);
    expect(tried).toEqual([[true, 8, 3]]);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ limits: { batch: 3 } });
  });

  it('does not let the file grow without bound', async () => {
    const store = await open({ server: { name: 'a' } });
    const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`unknown${n}`, n]));
    expect(await refusal(store.save(unknown))).toEqual([['', 'must not have more than 2000 members']]);
    const origins = Array.from({ length: 900 }, (_, n) => `https://${'a'.repeat(300)}.${n}.example`);
    expect(await refusal(store.save({ cors: { origins } }))).toEqual([
      ['', 'the configuration would have more than 262144 characters'],
    ]);
    expect(stored()).toEqual({ server: { name: 'a' } });
  });

  it('judges settings together, with what the environment gives', async () => {
    const late = { limits: { requestSeconds: 5 } };
    expect(await refusal((await open({})).save(late))).toEqual([
      ['limits.requestSeconds', 'must not be less than limits.headersSeconds'],
    ]);
    const store = await open({}, { CLOISTER_LIMITS_HEADERS_SECONDS: '4' });
    await store.save(late);
    expect(stored()).toEqual(late);
  });

  it('keeps one name when a setting is posted under another', async () => {
    const store = await open({ cache: { ttl: 1, enabled: true } });
    await store.save({ caching: { ttl: 2 } });
    expect(stored()).toEqual({ cache: { enabled: true }, caching: { ttl: 2 } });
  });

  it('refuses to write over a file that it does not understand', async () => {
    const store = await open({});
    writeFileSync(path, '{ "server": ');
    expect(await refusal(store.save({ cors: true }))).toEqual([
      ['', 'the configuration file on the server cannot be read as JSON'],
    ]);
    expect(readFileSync(path, 'utf8')).toBe('{ "server": ');
  });

  it('loses none of many changes at once and leaves no temporary files', async () => {
    const store = await open({});
    const limits = ['batch', 'pageSize', 'composeDepth', 'filterDepth', 'filterNodes', 'writeMatches'];
    await Promise.all(limits.map((limit) => store.save({ limits: { [limit]: 2 } })));
    expect(Object.keys(stored()['limits'] as JsonObject)).toHaveLength(limits.length);
    expect(readdirSync(cwd)).toEqual(['config.json']);
  });

  it('goes on after a refusal', async () => {
    const store = await open({});
    await Promise.allSettled([store.save({ server: 1 }), store.save({ cors: true })]);
    expect(stored()).toEqual({ cors: true });
  });

  it('survives hostile keys', async () => {
    const store = await open({});
    const hostile = '{"__proto__": {"polluted": 1}, "server": {"__proto__": {"port": 1}}}';
    expect((await refusal(store.save(JSON.parse(hostile)))).map(([field]) => field)).toEqual([
      ...['__proto__', 'server.__proto__'],
    ]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const { config } = await loadConfig({ flags: { config: path }, env: {}, cwd });
    expect(config.server.port).toBe(8081);
  });

  it('accepts nothing that the next start would refuse', async () => {
    const paths = SETTINGS.flatMap(({ path, leaf }) => [path, ...(leaf.aliases ?? [])]);
    const names = [
      ...paths,
      'cache',
      'caching',
      'caching.ttl',
      'cors',
      'server',
      'sandbox.secrets',
      'sandbox.secrets.A',
      'sandbox.secrets.a',
      'zebra',
      '__proto__',
      'a.b',
    ];
    const good = SETTINGS.flatMap(({ leaf }) => (leaf.default === undefined ? [] : [leaf.default]));
    const odd: Json[] = [null, true, 1, -1, '', '********', 'x'.repeat(40), [], ['*'], {}, { enabled: true }];
    const change = fc.tuple(fc.constantFrom(...names), fc.constantFrom<Json>(...good, ...odd));
    const nest = (path: string, value: Json) =>
      path
        .split('.')
        .reduceRight<Json>((inner, key) => Object.fromEntries([[key, inner]]), value) as JsonObject;
    const store = await open({});
    const { config: running } = await loadConfig({ flags: { config: path }, env: {}, cwd });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const patch = Object.fromEntries(changes.flatMap((one) => Object.entries(nest(...one))));
        const error = await store.save(patch).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined) expect(error).toBeInstanceOf(AppError);
        const { issues: problems, config } = await loadConfig({ flags: { config: path }, env: {}, cwd });
        expect(problems).toEqual([]);
        const { cache, cors, feedback, media, auth, limits, ...operators } = config;
        const { cache: a, cors: b, feedback: c, media: d, auth: e, limits: f, ...before } = running;
        expect(operators).toEqual(before);
        expect({ ...auth, tokenTtl: 1800 }).toEqual(running.auth);
        expect([media.basePath, media.storage, media.s3, cache.path]).toEqual([
          d.basePath,
          d.storage,
          d.s3,
          a.path,
        ]);
      }),
      { numRuns: 150 },
    );
  });
});
