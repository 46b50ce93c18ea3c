import { describe, expect, it } from 'vitest';
import { flattenSettings, unknownKeyIssue } from '../../src/config/flatten-settings.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';

const values = (settings: JsonObject) =>
  Object.fromEntries([...flattenSettings(settings).assignments].map(([path, { value }]) => [path, value]));
const remarks = (settings: JsonObject) => flattenSettings(settings).unknown.map(unknownKeyIssue);

describe('flattened settings', () => {
  it('takes groups apart', () => {
    expect(values({ server: { port: 1, host: 'a' }, media: { s3: { region: 'x' } } })).toEqual({
      'server.port': 1,
      'server.host': 'a',
      'media.s3.region': 'x',
    });
  });

  it.each(['cache', 'caching', 'cors', 'feedback'])('reads a bare boolean in place of %s', (name) => {
    const path = name === 'caching' ? 'cache.enabled' : `${name}.enabled`;
    expect(values({ [name]: true })).toEqual({ [path]: true });
  });

  it('follows aliases and remembers how a setting was written', () => {
    const { assignments } = flattenSettings({
      caching: { ttl: 5 },
      geolocation: { remote: { url: 'http://x' } },
    });
    expect(assignments.get('cache.ttl')?.written).toBe('caching.ttl');
    expect(assignments.get('geolocation.url')?.written).toBe('geolocation.remote.url');
  });

  it('refuses a setting given under two names with different values', () => {
    expect(flattenSettings({ cache: { ttl: 1 }, caching: { ttl: 1 } }).issues).toEqual([]);
    const settings = { geolocation: { path: 'a', remote: { countryPath: 'b' } } };
    expect(flattenSettings(settings).issues.map(({ written }) => written)).toEqual([
      'geolocation.remote.countryPath',
    ]);
    expect(flattenSettings({ cache: { ttl: 1 }, caching: { ttl: 2 } }).issues).toEqual([
      { written: 'caching.ttl', message: 'is another name of cache.ttl, which is set to something else' },
    ]);
  });

  it.each([
    [{ server: 1 }, 'server', 'must be an object'],
    [{ server: null }, 'server', 'must be an object'],
    [{ server: [] }, 'server', 'must be an object'],
    [{ cache: 'yes' }, 'cache', 'must be an object, true or false'],
  ])('refuses %j', (settings: JsonObject, written, message) => {
    expect(flattenSettings(settings).issues).toEqual([{ written, message }]);
  });

  it('takes null as unset where a setting may be unset', () => {
    expect(values({ publicUrl: null, auth: { tokenSecret: null } })).toEqual({});
    expect(values({ server: { port: null } })).toEqual({ 'server.port': null });
  });

  it.each([
    [{ sever: {} }, 'sever', 'is not a setting; did you mean server?'],
    [{ auth: { tokenTTL: 1 } }, 'auth.tokenTTL', 'is not a setting; did you mean auth.tokenTtl?'],
    [{ limits: { pagesize: 1 } }, 'limits.pagesize', 'is not a setting; did you mean limits.pageSize?'],
    [{ zebra: 1 }, 'zebra', 'is not a setting'],
    [{ 'server.port': 1 }, 'server.port', 'is not a setting'],
    [{ '': 1 }, '', 'is not a setting'],
    [{ ['x'.repeat(200)]: 1 }, 'x'.repeat(200), 'is not a setting'],
    [{ server: { constructor: 1 } }, 'server.constructor', 'is not a setting'],
    [JSON.parse('{"__proto__": {"server": {"port": 1}}}'), '__proto__', 'is not a setting'],
  ])('remarks on %j', (settings: JsonObject, written, message) => {
    expect(remarks(settings)).toEqual([{ written, message }]);
    expect(values(settings)).toEqual({});
  });

  it('passes over the reference to the editor schema', () => {
    expect(flattenSettings({ $schema: './config.schema.json' })).toEqual({
      assignments: new Map(),
      issues: [],
      unknown: [],
    });
  });
});
