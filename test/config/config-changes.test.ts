import { describe, expect, it } from 'vitest';
import { buildConfig, redactConfig } from '../../src/config/build-config.ts';
import {
  findForbiddenChanges,
  mergeSettings,
  omitRenamed,
  omitUnchanged,
} from '../../src/config/config-changes.ts';
import { flattenSettings } from '../../src/config/flatten-settings.ts';
import { SETTINGS } from '../../src/config/setting-names.ts';
import type { Json, JsonObject } from '../../src/lib/json/json.ts';

const RUNNING = buildConfig(new Map([['limits.batch', 50]]));

/** The names that are refused where `before` becomes `after` by a patch of the same content. */
const refused = (before: JsonObject, after: JsonObject, patch = after) =>
  findForbiddenChanges(RUNNING, { patch, before, after }).map(({ written }) => written);

describe('configuration that an admin may change over HTTP', () => {
  it('is what the schema marks, and nothing about isolation, folders, addresses, secrets and the database', () => {
    const marked = (how: string) =>
      SETTINGS.filter(({ leaf }) => leaf.overHttp === how).map(({ path }) => path);
    expect(marked('any')).toEqual([
      ...['cors.enabled', 'cors.origins', 'cache.enabled', 'cache.ttl', 'feedback.enabled'],
      ...['media.tokenExpiresIn', 'media.pathFormat'],
    ]);
    const limits = SETTINGS.filter(({ path }) => path.startsWith('limits.')).map(({ path }) => path);
    expect(marked('lower')).toEqual([
      ...['auth.tokenTtl', 'cache.maxBytes', 'media.maxFileSize', 'media.requestSeconds'],
      ...limits,
    ]);
    for (const { leaf, path } of SETTINGS.filter((setting) => setting.leaf.overHttp === 'lower')) {
      expect(['integer', 'number'], path).toContain('type' in leaf ? leaf.type : undefined);
    }
    expect(SETTINGS.filter(({ leaf }) => leaf.secret === true && leaf.overHttp !== undefined)).toEqual([]);
  });

  it('compares what the file says, not only what is posted', () => {
    expect(refused({}, { sandbox: { review: 'all' } })).toEqual(['sandbox.review']);
    expect(refused({ sandbox: { review: 'all' } }, {}, { sandbox: {} })).toEqual(['sandbox.review']);
    expect(refused({ caching: { ttl: 9 } }, { cache: { ttl: 9 } })).toEqual([]);
    expect(refused({}, { cache: true, cors: { origins: [] } })).toEqual([]);
  });

  it('takes back the configuration, or a whole block, but no setting of the operator by itself', () => {
    const shown = redactConfig(RUNNING);
    const { sandbox, paths } = RUNNING;
    expect(refused({}, {}, { ...shown, sandbox: { review: sandbox.review } })).toEqual([]);
    expect(refused({}, {}, { paths: { ...paths } })).toEqual([]);
    expect(refused({}, {}, { sandbox: { review: sandbox.review } })).toEqual(['sandbox.review']);
    expect(refused({}, {}, { paths: { hooks: paths.hooks } })).toEqual(['paths.hooks']);
  });

  it('takes null for a change of what is the operator’s, whether or not it is in the file', () => {
    const patch = { sandbox: { policyFile: null, secrets: { A: null } }, limits: { batch: null } };
    expect(refused({}, {}, patch)).toEqual(['sandbox.policyFile', 'sandbox.secrets.A']);
    const before = { sandbox: { policyFile: 'a.json' } };
    expect(refused(before, { sandbox: {} }, { sandbox: { policyFile: null } })).toEqual([
      'sandbox.policyFile',
    ]);
  });

  it('names an unknown key once, posted or removed from the file', () => {
    expect(refused({ custom: 1 }, {}, { custom: null })).toEqual(['custom']);
    expect(refused({ custom: 1 }, {}, {})).toEqual(['custom']);
  });

  it('lets limits go down from what is in force, whatever the file says', () => {
    expect(refused({}, { limits: { batch: 50, pageSize: 999 } })).toEqual([]);
    expect(refused({}, { limits: { batch: 51 } })).toEqual(['limits.batch']);
    expect(refused({ limits: { batch: 50 } }, {})).toEqual(['limits.batch']);
    expect(refused({ limits: { pageSize: 5 } }, {})).toEqual([]);
  });

  it('has no unknown keys, neither new nor lost ones', () => {
    expect(refused({}, { zebra: 1, cache: { colour: 1 } })).toEqual(['zebra', 'cache.colour']);
    expect(refused({ cache: { colour: 1 } }, {}, { cache: {} })).toEqual(['cache.colour']);
    expect(refused({}, {}, { $schema: 'x' })).toEqual(['$schema']);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`k${n}`, n]));
    expect(refused({}, many)).toHaveLength(20);
  });
});

describe('mergeSettings', () => {
  it('merges objects, replaces lists and takes away what is null', () => {
    const old = { server: { port: 1, name: 'a' }, cors: { origins: ['a', 'b'] }, custom: { x: 1 } };
    expect(mergeSettings(old, { server: { port: 2, name: null }, cors: { origins: ['c'] } })).toEqual({
      server: { port: 2 },
      cors: { origins: ['c'] },
      custom: { x: 1 },
    });
    expect(old.server).toEqual({ port: 1, name: 'a' });
  });

  it.each([
    [{ cache: true }, { cache: { ttl: 5 } }, { cache: { enabled: true, ttl: 5 } }],
    [{ cache: { enabled: true, ttl: 5 } }, { cache: false }, { cache: { enabled: false, ttl: 5 } }],
    [{ cache: true }, { cache: false }, { cache: { enabled: false } }],
    [{}, { cache: true }, { cache: true }],
    [{ server: 1 }, { server: { port: 2 } }, { server: { port: 2 } }],
    [{}, { server: { port: 1, name: null } }, { server: { port: 1 } }],
  ])('%j and %j', (old, patch, result) => {
    expect(mergeSettings(old, patch)).toEqual(result);
  });

  it('keeps hostile keys where they are', () => {
    const patch = JSON.parse(
      '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}',
    );
    const merged = mergeSettings({}, patch);
    expect(Object.keys(merged)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});

describe('withoutKept', () => {
  const present = {
    config: buildConfig(new Map([['workspace.path', 'here']])),
    filed: flattenSettings({ cache: { ttl: 7 } }).assignments,
    environment: new Map<string, Json>([
      ['server.port', 9000],
      ['cors.origins', ['https://a.example']],
    ]),
  };

  it('drops hidden secrets and what is as it was: in force, in the file, or by default', () => {
    const same = {
      auth: { tokenSecret: '********', tokenTtl: 1800 },
      workspace: { path: 'here' },
      server: { name: 'Cloister', port: 9000 },
      cache: { ttl: 7 },
      cors: { enabled: false, origins: ['https://a.example'] },
      sandbox: { secrets: {} },
    };
    expect(omitUnchanged(present, same)).toEqual({});
  });

  it('keeps what is different', () => {
    const other = {
      workspace: { path: 'there' },
      server: { name: '********', port: 9001 },
      cache: { ttl: 300 },
      cors: { origins: [] },
      auth: { tokenTtl: 5 },
      paths: null,
    };
    expect(omitUnchanged(present, other)).toEqual(other);
  });
});

describe('withoutRenamed', () => {
  it.each([
    [{ cache: { ttl: 1, engine: 'memory' } }, { caching: { ttl: 2 } }, { cache: { engine: 'memory' } }],
    [{ caching: true }, { cache: { enabled: false } }, {}],
    [
      { geolocation: { remote: { url: 'http://a' } } },
      { geolocation: { url: 'http://b' } },
      { geolocation: { remote: {} } },
    ],
    [{ cache: true }, { cache: { enabled: false } }, { cache: true }],
    [{ cache: { ttl: 1 } }, { cache: { ttl: 2 } }, { cache: { ttl: 1 } }],
  ])('%j under %j', (old, patch, result) => {
    expect(omitRenamed(old, patch)).toEqual(result);
  });
});
