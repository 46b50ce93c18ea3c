import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatConfigIssue } from '../../src/config/config-file.ts';
import type { Environment } from '../../src/config/environment.ts';
import { type ConfigFlags, loadConfig } from '../../src/config/load-config.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'cloister-config-'));
  mkdirSync(join(cwd, 'workspace'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const write = (content: object, path = 'workspace/config.json') =>
  writeFileSync(join(cwd, path), JSON.stringify(content, null, 2));
const load = (env: Environment = {}, flags: ConfigFlags = {}) => loadConfig({ flags, env, cwd });
const problemsOf = async (env: Environment = {}, flags: ConfigFlags = {}) =>
  (await load(env, flags)).issues.map(formatConfigIssue);

describe('loadConfig', () => {
  it('gives the defaults when nothing is set', async () => {
    const { config, issues: problems, warnings, file } = await load();
    expect(config.server.port).toBe(8081);
    expect([...problems, ...warnings]).toEqual([]);
    expect(file).toBe(join(cwd, 'workspace', 'config.json'));
  });

  it('reads the real environment when none is given', async () => {
    const { config } = await loadConfig({ flags: {}, cwd });
    expect(config.database.engine).toBe('sqlite');
  });

  it('lets the environment win over the file and a flag over both', async () => {
    write({ server: { port: 1, name: 'file', host: '::1' } });
    const env = { CLOISTER_SERVER_PORT: '2', CLOISTER_SERVER_NAME: 'env' };
    expect((await load(env)).config.server).toMatchObject({ port: 2, name: 'env', host: '::1' });
    expect((await load(env, { port: '3' })).config.server.port).toBe(3);
  });

  it('takes the first variable that is set', async () => {
    const env = { CLOUD_S3_ACCESS_KEY: 'cloud', AWS_S3_ACCESS_KEY: 'aws', AWS_S3_SECRET_KEY: 'aws' };
    expect((await load(env)).config.media.s3).toMatchObject({ accessKey: 'cloud', secretKey: 'aws' });
  });

  it('finds the workspace by flag, environment or default', async () => {
    for (const name of ['other', 'third']) {
      mkdirSync(join(cwd, name));
      write({ server: { name } }, `${name}/config.json`);
    }
    const env = { CLOISTER_WORKSPACE_PATH: 'other' };
    expect((await load(env)).config).toMatchObject({
      server: { name: 'other' },
      workspace: { path: 'other' },
    });
    expect((await load(env, { workspace: 'third' })).config.server.name).toBe('third');
    const whole = { CLOISTER_WORKSPACE: '{"path":"third"}' };
    expect((await load(whole)).config).toMatchObject({
      server: { name: 'third' },
      workspace: { path: 'third' },
    });
  });

  it('reads another file when told to', async () => {
    write({ server: { name: 'elsewhere' } }, 'elsewhere.json');
    const { config, file } = await load({}, { config: 'elsewhere.json' });
    expect(config.server.name).toBe('elsewhere');
    expect(file).toBe(join(cwd, 'elsewhere.json'));
  });

  it('wants the file that it was told to read', async () => {
    expect(await problemsOf({}, { config: 'gone.json' })).toEqual([
      '--config names a file that does not exist: gone.json',
    ]);
  });

  it('lists every problem at once, each with where it was written', async () => {
    write({ server: { port: 'x' }, caching: { ttl: 0 }, workspace: { path: 'a' }, cors: [] });
    const problems = await problemsOf(
      { CLOISTER_LIMITS_BATCH: '', CLOISTER_CORS: 'yes', CLOISTER_DATABASE_ENGINE: 'mysql' },
      { port: '99999' },
    );
    expect(problems.sort()).toEqual([
      '--port must be 65535 or less',
      'CLOISTER_CORS must be true or false',
      'CLOISTER_DATABASE_ENGINE must be one of "sqlite", "mongodb"',
      'CLOISTER_LIMITS_BATCH must be a whole number',
      'workspace/config.json:11: cors must be an object, true or false',
      'workspace/config.json:3: server.port must be a whole number',
      'workspace/config.json:6: caching.ttl must be 1 or more',
      'workspace/config.json:9: workspace.path cannot be set in the file: use a flag or CLOISTER_WORKSPACE_PATH',
    ]);
  });

  it('gives the line of a syntax error', async () => {
    writeFileSync(join(cwd, 'workspace/config.json'), '{\n  "a": 1,\n}');
    const [problem] = await problemsOf();
    expect(problem).toMatch(/^workspace\/config\.json:3: is not valid JSON/);
  });

  it('warns of unknown keys and of variables that are nearly ours', async () => {
    write({ auth: { tokenTTL: 1 }, custom: {}, $schema: './config.schema.json' });
    const {
      warnings,
      issues: problems,
      config,
    } = await load({ CLOISTER_SEVER_PORT: '1', CLOISTER_PORT: 'tcp://x' });
    expect(problems).toEqual([]);
    expect(config.auth.tokenTtl).toBe(1800);
    expect(warnings.map(formatConfigIssue)).toEqual([
      'workspace/config.json:3: auth.tokenTTL is not a setting; did you mean auth.tokenTtl?',
      'workspace/config.json:5: custom is not a setting',
      'CLOISTER_SEVER_PORT is ignored; did you mean CLOISTER_SERVER_PORT?',
    ]);
  });

  it('tells a hundred of the names that mean nothing, however many there are', async () => {
    write(Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`site${n}`, n])));
    const { warnings } = await load();
    expect(warnings).toHaveLength(101);
    expect(warnings.map(formatConfigIssue).at(-1)).toBe(
      'workspace/config.json: 29900 more keys are not settings',
    );
  });

  it('wants both halves of the first admin', async () => {
    expect(await problemsOf({ CLOISTER_ADMIN_ID: 'a' })).toEqual([
      'auth.admin.secret is missing: the first admin needs both an id and a secret (CLOISTER_ADMIN_ID, CLOISTER_ADMIN_SECRET)',
    ]);
    const { config } = await load({ CLOISTER_ADMIN_ID: 'a', CLOISTER_ADMIN_SECRET: 'b' });
    expect(config.auth.admin).toEqual({ id: 'a', secret: 'b' });
  });

  it('names the line of a setting that breaks a rule with others', async () => {
    const s3 = { accessKey: 'a', secretKey: 'b', bucketName: 'pictures', region: 'eu' };
    writeFileSync(
      join(cwd, 'workspace/config.json'),
      JSON.stringify({ media: { storage: 's3', basePath: '/srv/media', s3 } }, null, 1),
    );
    expect(await problemsOf({})).toEqual([
      'workspace/config.json:4: media.basePath must not begin with `/`: in a bucket it is a prefix',
    ]);
  });

  it('takes the keys of a bucket from the names that other programs use, ours first', async () => {
    const { config } = await load({ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_REGION: 'eu' });
    expect(config.media.s3).toMatchObject({ accessKey: 'a', secretKey: 'b', region: 'eu' });
    const ours = await load({ AWS_ACCESS_KEY_ID: 'a', CLOUD_S3_ACCESS_KEY: 'c' });
    expect(ours.config.media.s3.accessKey).toBe('c');
  });

  it('is not led astray by keys that objects inherit', async () => {
    writeFileSync(
      join(cwd, 'workspace/config.json'),
      '{"__proto__": {"server": {"port": 1}}, "toString": 1}',
    );
    const { config, warnings } = await load();
    expect(config.server.port).toBe(8081);
    expect(warnings).toHaveLength(2);
    expect(({} as Record<string, unknown>)['server']).toBeUndefined();
  });
});
