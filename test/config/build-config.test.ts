import { describe, expect, it } from 'vitest';
import { buildConfig, redactConfig, SECRET_PATHS, settingValueAt } from '../../src/config/build-config.ts';
import type { Json } from '../../src/lib/json/json.ts';

describe('createConfig', () => {
  it('gives the defaults', () => {
    const config = buildConfig(new Map());
    expect(config.server).toMatchObject({ port: 8081, trustProxy: false, shutdownSeconds: 10 });
    expect(config.delivery.port).toBe(8082);
    expect(config.auth).toEqual({
      tokenTtl: 1800,
      issuers: [],
      rateLimit: { perClient: 30, perAddress: 300, windowSeconds: 60 },
      admin: {},
    });
    expect(config.database).toEqual({
      engine: 'sqlite',
      enableCollectionDatabases: false,
      sqlite: { path: 'data' },
      mongodb: { maxPoolSize: 100, minPoolSize: 0 },
    });
    expect(config.cache).toMatchObject({ enabled: false, ttl: 300, engine: 'memory' });
    expect(config.media).toMatchObject({ tokenExpiresIn: '1h', pathFormat: 'date', storage: 'disk', s3: {} });
    expect(config.sandbox).toEqual({
      enabled: true,
      minimumLevel: 0,
      maxHosts: 16,
      hostMemoryMb: 384,
      jitDomains: [],
      review: 'none',
      secrets: {},
    });
    expect(config.limits).toEqual({
      jsonBytes: 10_485_760,
      jsonValues: 100_000,
      endpointCodeBytes: 1_048_576,
      queryStringBytes: 16_384,
      filterDepth: 8,
      filterNodes: 200,
      queryMs: 5000,
      batch: 10_000,
      writeMatches: 10_000,
      pageSize: 1000,
      composeDepth: 10,
      composeReferences: 10_000,
      formParts: 20,
      uploads: 400,
      uploadsPerClient: 300,
      stagedBytes: 4_294_967_296,
      writeQueue: 1000,
      headersSeconds: 10,
      requestSeconds: 60,
      sendSeconds: 30,
      unsentBytes: 167_772_160,
      connections: 10_000,
    });
  });

  it('puts values over the defaults', () => {
    const config = buildConfig(
      new Map<string, string | number>([
        ['server.port', 0],
        ['media.s3.region', 'eu'],
        ['sandbox.secrets.API_KEY', 'k'],
        ['sandbox.secrets.__proto__', 'ignored'],
      ]),
    );
    expect(config.sandbox.secrets).toEqual({ API_KEY: 'k' });
    expect(config.server.port).toBe(0);
    expect(config.server.name).toBe('Cloister');
    expect(config.media.s3.region).toBe('eu');
  });

  it('is frozen through and through, and shares nothing with the defaults', () => {
    const config = buildConfig(new Map());
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
    expect(Object.isFrozen(config.cors.origins)).toBe(true);
    expect(buildConfig(new Map()).cors.origins).not.toBe(config.cors.origins);
  });
});

describe('valueAt', () => {
  it('finds what is set', () => {
    const config = buildConfig(new Map([['media.s3.region', 'eu']]));
    expect(settingValueAt(config, 'media.s3.region')).toBe('eu');
    expect(settingValueAt(config, 'media.s3.bucketName')).toBeUndefined();
    expect(settingValueAt(config, 'nothing.at.all')).toBeUndefined();
  });
});

describe('the redacted configuration', () => {
  it('hides each secret that is set', () => {
    const secrets = new Map<string, Json>(SECRET_PATHS.map((path, n) => [path, `top secret number ${n}`]));
    const shown = redactConfig(buildConfig(secrets));
    expect(JSON.stringify(shown)).not.toContain('top secret');
    expect(shown).toMatchObject({
      auth: { tokenSecret: '********', admin: { secret: '********' } },
      media: { tokenSecret: '********', s3: { accessKey: '********', secretKey: '********' } },
      geolocation: { key: '********', secret: '********' },
      network: { key: '********', secret: '********' },
    });
  });

  it('hides the members of families and shows their names', () => {
    const shown = redactConfig(buildConfig(new Map([['sandbox.secrets.API_KEY', 'top secret']])));
    expect(shown['sandbox']).toMatchObject({ secrets: { API_KEY: '********' } });
    expect(SECRET_PATHS).toContain('sandbox.secrets.*');
  });

  it('leaves out what is unset and shows the rest', () => {
    const shown = redactConfig(buildConfig(new Map()));
    expect(shown['auth']).toEqual({
      tokenTtl: 1800,
      issuers: [],
      rateLimit: { perClient: 30, perAddress: 300, windowSeconds: 60 },
      admin: {},
    });
    expect(shown).not.toHaveProperty('publicUrl');
  });
});
