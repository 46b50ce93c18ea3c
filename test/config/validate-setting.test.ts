import { beforeAll, describe, expect, it } from 'vitest';
import { buildConfig } from '../../src/config/build-config.ts';
import { findSetting, SETTINGS } from '../../src/config/setting-names.ts';
import {
  createSettingValidator,
  findConfigRuleIssues,
  missingBucketSettings,
  passesFastCheck,
  type ValidateSetting,
} from '../../src/config/validate-setting.ts';
import type { Json } from '../../src/lib/json/json.ts';

let check: ValidateSetting;
beforeAll(async () => {
  check = await createSettingValidator();
});

const wrong = (path: string, value: Json) => check(findSetting(path)!, value);

describe('passesFastCheck', () => {
  it('accepts no value that the validator rejects', () => {
    const values: Json[] = [
      null,
      true,
      false,
      '',
      'a',
      '😀',
      '********',
      '/',
      '-1',
      'a b',
      'a\n',
      'é',
      [],
      ['a'],
      {},
      -1,
      0,
      1,
      1.5,
      1e15,
    ];
    for (const setting of SETTINGS) {
      const { leaf } = setting;
      const bounds = ['minimum', 'maximum'].flatMap((name) => {
        const bound: unknown = Reflect.get(leaf, name);
        return typeof bound === 'number' ? [bound - 1, bound, bound + 1] : [];
      });
      const lengths = ['minLength', 'maxLength'].flatMap((name) => {
        const length: unknown = Reflect.get(leaf, name);
        return typeof length === 'number' ? [length - 1, length, length + 1] : [];
      });
      const texts = lengths.flatMap((length) => ['x', '😀'].map((text) => text.repeat(Math.max(0, length))));
      for (const value of [...values, ...bounds, ...texts, leaf.default ?? null]) {
        if (!passesFastCheck(setting, value)) continue;
        expect([setting.path, value, check(setting, value)]).toEqual([setting.path, value, undefined]);
      }
    }
  });

  it.each<[string, Json]>([
    ['server.host', '127.0.0.1'],
    ['server.port', 8081],
    ['cors.enabled', true],
    ['logging.level', 'error'],
    ['auth.admin.id', 'admin@example.org'],
    ['auth.admin.secret', 'a secret for tests only'],
  ])('accepts %s as most starts set it', (path, value) => {
    expect(passesFastCheck(findSetting(path)!, value)).toBe(true);
  });
});

describe('createSettingCheck', () => {
  it('accepts every default', () => {
    for (const setting of SETTINGS) {
      if (setting.leaf.default === undefined) continue;
      expect([setting.path, check(setting, setting.leaf.default)]).toEqual([setting.path, undefined]);
    }
  });

  it.each<[string, Json, string]>([
    ['server.port', '8081', 'must be a whole number'],
    ['server.port', 1.5, 'must be a whole number'],
    ['server.port', 65_536, 'must be 65535 or less'],
    ['server.port', -1, 'must be 0 or more'],
    ['server.port', null, 'must be a whole number'],
    ['server.host', '', 'must not be empty'],
    ['database.engine', 'mysql', 'must be one of "sqlite", "mongodb"'],
    ['database.mongodb.uri', 'localhost', 'must be a mongodb:// or mongodb+srv:// connection string'],
    ['cache.engine', 'disk', 'must be one of "memory", "filesystem", "redis"'],
    ['cache.redis.url', 'http://localhost', 'must be a redis:// or rediss:// address'],
    ['cors.enabled', 1, 'must be true or false'],
    ['cors.origins', 'https://a.org', 'must be a list'],
    ['cors.origins', ['*', 'a.org'], 'item 2 must be an origin such as https://example.org, or *'],
    ['auth.tokenSecret', 'short', 'must have at least 32 characters'],
    ['auth.tokenSecret', '********', 'is the mark of a hidden secret, not a secret'],
    ['publicUrl', 'example.org', 'must be an http or https URL'],
  ])('rejects a value of %s: %j', (path, value, message) => {
    expect(wrong(path, value)).toBe(message);
  });

  it.each<Json>([true, 0, 33, 1.5, ['nowhere'], {}, 'loopback'])(
    'rejects a value of trustProxy: %j',
    (value) => {
      expect(wrong('server.trustProxy', value)).toMatch(/^must be false, a number of proxies/);
    },
  );

  it.each<Json>([false, 1, ['loopback', '10.0.0.0/8'], []])('accepts a value of trustProxy: %j', (value) => {
    expect(wrong('server.trustProxy', value)).toBeUndefined();
  });

  it.each<Json>([0, 'soon', '3600', true])('rejects a value of tokenExpiresIn: %j', (value) => {
    expect(wrong('media.tokenExpiresIn', value)).toMatch(/^must be a number of seconds/);
  });

  it('never repeats a value, which may be a secret', () => {
    for (const setting of SETTINGS.filter(({ leaf }) => leaf.secret === true)) {
      expect(check(setting, { hunter2: 'hunter2' })).not.toContain('hunter2');
    }
  });
});

describe('the rules between settings', () => {
  const broken = (values: Record<string, Json>) =>
    findConfigRuleIssues(buildConfig(new Map(Object.entries(values)))).map(({ path }) => path);

  it('hold for the defaults', () => {
    expect(broken({})).toEqual([]);
  });

  it('require id and secret of the first admin together', () => {
    expect(broken({ 'auth.admin.id': 'a' })).toEqual(['auth.admin.secret']);
    expect(broken({ 'auth.admin.secret': 'a' })).toEqual(['auth.admin.id']);
    expect(broken({ 'auth.admin.id': 'a', 'auth.admin.secret': 'b' })).toEqual([]);
  });

  it('require the connection string of MongoDB', () => {
    expect(broken({ 'database.engine': 'mongodb' })).toEqual(['database.mongodb.uri']);
    expect(broken({ 'database.engine': 'mongodb', 'database.mongodb.uri': 'mongodb://db' })).toEqual([]);
  });

  it('require every setting of a bucket', () => {
    expect(broken({ 'media.storage': 's3', 'media.s3.region': 'eu' })).toEqual([
      'media.s3.accessKey',
      'media.s3.secretKey',
      'media.s3.bucketName',
    ]);
  });

  it('require no region of a bucket with an endpoint', () => {
    const keys = { 'media.s3.accessKey': 'a', 'media.s3.secretKey': 'b', 'media.s3.bucketName': 'pictures' };
    expect(broken({ 'media.storage': 's3', ...keys })).toEqual(['media.s3.region']);
    const endpoint = { 'media.s3.endpoint': 'http://localhost:9000' };
    expect(broken({ 'media.storage': 's3', ...keys, ...endpoint })).toEqual([]);
    const config = buildConfig(new Map(Object.entries({ 'media.s3.bucketName': 'pictures' })));
    expect(missingBucketSettings(config)).toEqual([
      ...['media.s3.accessKey', 'media.s3.secretKey', 'media.s3.region'],
    ]);
  });

  it.each(['/srv/media', '../media', 'a/../b', 'a\\b', 'a\nb', 'x'.repeat(125)])(
    'takes %j for a folder and not for the prefix of a bucket',
    (basePath) => {
      expect(broken({ 'media.basePath': basePath })).toEqual([]);
      const s3 = { accessKey: 'a', secretKey: 'b', bucketName: 'pictures', region: 'eu' };
      const values = Object.fromEntries(
        Object.entries(s3).map(([name, value]) => [`media.s3.${name}`, value]),
      );
      expect(broken({ ...values, 'media.storage': 's3', 'media.basePath': basePath })).toEqual([
        'media.basePath',
      ]);
    },
  );

  it('limit the time for headers to that of the whole request', () => {
    expect(broken({ 'limits.requestSeconds': 9 })).toEqual(['limits.requestSeconds']);
    expect(broken({ 'limits.requestSeconds': 9, 'limits.headersSeconds': 9 })).toEqual([]);
  });

  it('reject the JIT compiler with an isolation level that its hosts cannot reach', () => {
    const jit = { 'sandbox.jitDomains': ['fast'] };
    expect(broken(jit)).toEqual([]);
    expect(broken({ ...jit, 'sandbox.minimumLevel': 1 })).toEqual(['sandbox.jitDomains']);
    expect(broken({ 'sandbox.jitDomains': [], 'sandbox.minimumLevel': 3 })).toEqual([]);
  });

  it('require the address of a remote lookup, unless lookups are off', () => {
    expect(broken({ 'geolocation.method': 'remote' })).toEqual(['geolocation.url']);
    expect(broken({ 'geolocation.method': 'remote', 'geolocation.enabled': false })).toEqual([]);
  });
});
