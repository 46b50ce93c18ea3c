import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { type ConfigStore, createConfigStore } from '../../src/config/save.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { AppError } from '../../src/errors.ts';
import { fingerprint } from '../../src/lib/fingerprint.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';

const SECRET = 'a signing secret of more than 32 characters';

let cwd: string;
let path: string;
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

describe('config store', () => {
  it('shows the running configuration without its secrets', async () => {
    const store = await open({ auth: { tokenSecret: SECRET }, custom: 1 });
    expect(store.redacted()).toMatchObject({ auth: { tokenSecret: '********', tokenTtl: 1800 } });
    expect(JSON.stringify(store.redacted())).not.toContain(SECRET);
    expect(store.redacted()).not.toHaveProperty('custom');
  });

  it('keeps hidden secrets of families, changes and takes away single ones', async () => {
    const store = await open({ sandbox: { secrets: { A: 'first', B: 'second', C: 'third' } } });
    expect(store.redacted()).toMatchObject({
      sandbox: { secrets: { A: '********', B: '********', C: '********' } },
    });
    await store.save({ sandbox: { secrets: { A: '********', B: 'other', C: null } } });
    expect(stored()).toEqual({ sandbox: { secrets: { A: 'first', B: 'other' } } });
    expect(await refusal(store.save({ sandbox: { secrets: { A: 5, D: '' } } }))).toEqual([
      ['sandbox.secrets.A', 'must be text'],
      ['sandbox.secrets.D', 'must not be empty'],
    ]);
  });

  it('does not copy a secret of the environment into the file', async () => {
    const store = await open({}, { CLOISTER_SANDBOX_SECRETS_A: 'from the environment' });
    expect(store.redacted()).toMatchObject({ sandbox: { secrets: { A: '********' } } });
    await store.save(store.redacted());
    expect(readFileSync(path, 'utf8')).not.toContain('from the environment');
  });

  it('merges a change into the file, which a later start reads', async () => {
    const store = await open({ auth: { tokenTtl: 5, tokenSecret: SECRET }, custom: { kept: true } });
    const before = fingerprint(readFileSync(path, 'utf8'));
    const change = await store.save({ auth: { tokenTtl: 6 }, cors: true });
    expect(change).toEqual({ before, after: fingerprint(readFileSync(path, 'utf8')) });
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
    expect(await store.save({ cache: true })).toMatchObject({ before: null });
    expect(path).toBe(join(cwd, 'workspace', 'config.json'));
    expect(stored()).toEqual({ cache: true });
  });

  it('takes back everything that it showed, and changes nothing by it', async () => {
    const env = { CLOUD_S3_SECRET_KEY: 'from the environment' };
    const store = await open({ auth: { tokenSecret: SECRET } }, env);
    await store.save(store.redacted());
    expect(stored()).toMatchObject({ auth: { tokenSecret: SECRET, tokenTtl: 1800 } });
    expect(readFileSync(path, 'utf8')).not.toContain('********');
    expect(readFileSync(path, 'utf8')).not.toContain('from the environment');
    const again = await loadConfig({ flags: { config: path }, env: {}, cwd });
    expect(again.problems).toEqual([]);
  });

  it('does not copy what the environment sets into the file', async () => {
    const env = {
      CLOISTER_ADMIN_ID: 'root',
      CLOISTER_ADMIN_SECRET: 'a long secret',
      CLOISTER_SERVER_PORT: '9000',
    };
    const store = await open({}, env);
    await store.save(store.redacted());
    expect(stored()).not.toHaveProperty('auth.admin.id');
    expect(stored()).not.toHaveProperty('server.port');
    expect(stored()).toHaveProperty('server.name');
  });

  it('names every wrong value as it was posted, and writes nothing', async () => {
    const store = await open({ server: { name: 'a' } });
    const wrong = store.save({
      caching: { ttl: 'soon' },
      server: { port: -1 },
      workspace: { path: 'elsewhere' },
      auth: { tokenSecret: 'short' },
    });
    expect((await refusal(wrong)).sort()).toEqual([
      ['auth.tokenSecret', 'must have at least 32 characters'],
      ['caching.ttl', 'must be a number'],
      ['server.port', 'must be 0 or more'],
      ['workspace.path', 'cannot be set in the file: use a flag or CLOISTER_WORKSPACE_PATH'],
    ]);
    expect(stored()).toEqual({ server: { name: 'a' } });
  });

  it('does not let the file grow without bound', async () => {
    const store = await open({ server: { name: 'a' } });
    const unknown = Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`unknown${n}`, n]));
    expect(await refusal(store.save(unknown))).toEqual([
      ['', 'the configuration would have more than 262144 characters'],
    ]);
    expect(stored()).toEqual({ server: { name: 'a' } });
  });

  it('judges settings together, with what the environment gives', async () => {
    const bucket = { media: { storage: 's3', s3: { bucketName: 'b', region: 'eu' } } };
    expect(await refusal((await open({})).save(bucket))).toEqual([
      ['media.s3.accessKey', 'is missing: media.storage is s3'],
      ['media.s3.secretKey', 'is missing: media.storage is s3'],
    ]);
    const store = await open({}, { CLOUD_S3_ACCESS_KEY: 'a', CLOUD_S3_SECRET_KEY: 'b' });
    await store.save(bucket);
    expect(stored()).toEqual(bucket);
  });

  it('refuses to take away what the rest of the file needs', async () => {
    const s3 = { accessKey: 'a', secretKey: 'b', bucketName: 'b', region: 'eu' };
    const store = await open({ media: { storage: 's3', s3 } });
    expect(await refusal(store.save({ media: { s3: { region: null } } }))).toEqual([
      ['media.s3.region', 'is missing: media.storage is s3'],
    ]);
    await store.save({ media: { storage: null, s3: { region: null } } });
    expect(stored()).toEqual({ media: { s3: { accessKey: 'a', secretKey: 'b', bucketName: 'b' } } });
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
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.save({ custom: { [`key${n}`]: n } })));
    expect(Object.keys(stored()['custom'] as JsonObject)).toHaveLength(20);
    expect(readdirSync(cwd)).toEqual(['config.json']);
  });

  it('goes on after a refusal', async () => {
    const store = await open({});
    await Promise.allSettled([store.save({ server: 1 }), store.save({ cors: true })]);
    expect(stored()).toEqual({ cors: true });
  });

  it('survives hostile keys', async () => {
    const store = await open({});
    await store.save(JSON.parse('{"__proto__": {"polluted": 1}, "server": {"__proto__": {"port": 1}}}'));
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
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const patch = Object.fromEntries(changes.flatMap((one) => Object.entries(nest(...one))));
        const error = await store.save(patch).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error !== undefined) expect(error).toBeInstanceOf(AppError);
        const { problems } = await loadConfig({ flags: { config: path }, env: {}, cwd });
        expect(problems).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });
});
