import { describe, expect, it } from 'vitest';
import { buildConfig } from '../../src/config/build-config.ts';
import { flattenSettings } from '../../src/config/flatten-settings.ts';
import { mergeSettings, omitRenamed, omitUnchanged } from '../../src/config/merge-settings.ts';
import type { Json } from '../../src/lib/json/json.ts';

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
