import { describe, expect, it } from 'vitest';
import { buildConfig, redactConfig, SECRET_PATHS } from '../../src/config/build-config.ts';
import type { Json } from '../../src/lib/json/json.ts';

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
