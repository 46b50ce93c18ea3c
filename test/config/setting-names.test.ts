import { describe, expect, it } from 'vitest';
import {
  findPathTarget,
  findSetting,
  mapSetting,
  PATH_TARGETS,
  SETTING_MAPS,
  SETTINGS,
} from '../../src/config/setting-names.ts';

describe('the table of settings', () => {
  it.each([
    ['auth.tokenTtl', ['CLOISTER_AUTH_TOKEN_TTL']],
    ['publicUrl', ['CLOISTER_PUBLIC_URL']],
    ['database.sqlite.path', ['CLOISTER_DATABASE_SQLITE_PATH']],
    ['database.enableCollectionDatabases', ['CLOISTER_DATABASE_ENABLE_COLLECTION_DATABASES']],
    ['cache.enabled', ['CLOISTER_CACHE_ENABLED', 'CLOISTER_CACHE']],
    ['auth.admin.id', ['CLOISTER_AUTH_ADMIN_ID', 'CLOISTER_ADMIN_ID']],
    [
      'media.s3.accessKey',
      ['CLOISTER_MEDIA_S3_ACCESS_KEY', 'CLOUD_S3_ACCESS_KEY', 'AWS_S3_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
    ],
    ['sandbox.secrets.API_KEY', ['CLOISTER_SANDBOX_SECRETS_API_KEY']],
    ['network.secret', ['CLOISTER_NETWORK_SECRET', 'NETWORK_REMOTE_SECRET']],
  ])('%s is set by %j', (path, names) => {
    expect(findSetting(path)?.env).toEqual(names);
  });

  it('has one setting for each variable', () => {
    const names = SETTINGS.flatMap(({ env }) => env);
    expect(new Set(names).size).toBe(names.length);
  });

  it('has a default of every boolean and number but where unset has a meaning of its own', () => {
    const open = SETTINGS.filter(
      ({ leaf }) => leaf.default === undefined && 'type' in leaf && leaf.type !== 'string',
    );
    expect(open.map(({ path }) => path)).toEqual(['media.enabled']);
  });

  it('has no default secret', () => {
    const known = SETTINGS.filter(({ leaf }) => leaf.secret === true && leaf.default !== undefined);
    expect(known).toEqual([]);
    expect(findSetting('media.tokenSecret')?.leaf.secret).toBe(true);
  });

  it('knows the other names of blocks and settings', () => {
    expect(PATH_TARGETS.get('caching.ttl')).toEqual({ kind: 'setting', setting: findSetting('cache.ttl') });
    expect(PATH_TARGETS.get('caching')).toEqual(PATH_TARGETS.get('cache'));
    expect(PATH_TARGETS.get('geolocation.remote')?.kind).toBe('group');
    expect(PATH_TARGETS.get('geolocation.remote.countryPath')).toEqual({
      kind: 'setting',
      setting: findSetting('geolocation.path'),
    });
  });

  it('has a setting for every name that a family allows, and for no other', () => {
    const family = SETTING_MAPS.find(({ path }) => path === 'sandbox.secrets')!;
    expect(mapSetting(family, 'A')).toEqual(findSetting('sandbox.secrets.A'));
    expect(findPathTarget('sandbox.secrets.A')).toEqual({
      kind: 'setting',
      setting: findSetting('sandbox.secrets.A'),
    });
    expect(findPathTarget('sandbox.secrets')).toEqual({ kind: 'group', shorthand: undefined });
    for (const name of [
      'a',
      '',
      '_A',
      '1A',
      'A.B',
      'A-B',
      '__proto__',
      'constructor',
      `A${'B'.repeat(64)}`,
      'A\n',
    ]) {
      expect([name, mapSetting(family, name)]).toEqual([name, undefined]);
      expect([name, findPathTarget(`sandbox.secrets.${name}`)]).toEqual([name, undefined]);
    }
  });

  it.each(['__proto__', 'constructor', 'toString'])('does not know %s', (name) => {
    expect(PATH_TARGETS.get(name)).toBeUndefined();
    expect(findSetting(name)).toBeUndefined();
  });
});
