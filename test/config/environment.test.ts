import { describe, expect, it } from 'vitest';
import {
  coerceText,
  type Environment,
  findMisspeltVariables,
  parseEnvironment,
  parseSettingTexts,
} from '../../src/config/environment.ts';
import { findSetting } from '../../src/config/setting-names.ts';

const valuesOf = (env: Environment) =>
  Object.fromEntries(parseEnvironment(env).assignments.map(({ setting, value }) => [setting.path, value]));

describe('settings from environment variables', () => {
  it('reads a setting from its variable, whose name splits words', () => {
    expect(
      valuesOf({ CLOISTER_AUTH_TOKEN_TTL: '77', CLOISTER_CORS_ORIGINS: 'https://a.org,https://b.org' }),
    ).toEqual({ 'auth.tokenTtl': 77, 'cors.origins': ['https://a.org', 'https://b.org'] });
  });

  it('reads a block from a JSON object, single settings winning', () => {
    const env = {
      CLOISTER_AUTH_RATE_LIMIT: '{"perClient":5,"perAddress":50}',
      CLOISTER_AUTH_RATE_LIMIT_PER_CLIENT: '7',
      CLOISTER_CACHE: ' {"enabled":true,"ttl":9}',
      CLOISTER_MEDIA: '{"s3":{"region":"eu"}}',
    };
    expect(valuesOf(env)).toEqual({
      'auth.rateLimit.perClient': 7,
      'auth.rateLimit.perAddress': 50,
      'cache.enabled': true,
      'cache.ttl': 9,
      'media.s3.region': 'eu',
    });
  });

  it('reads members of families, one by one or as an object', () => {
    const env = {
      CLOISTER_SANDBOX_SECRETS: '{"A":"1","B":"2","c":"3"}',
      CLOISTER_SANDBOX_SECRETS_B: '4',
      CLOISTER_SANDBOX_SECRETS_API_KEY: 'k',
      CLOISTER_SANDBOX_SECRETS_lower: 'x',
    };
    expect(valuesOf(env)).toEqual({
      'sandbox.secrets.A': '1',
      'sandbox.secrets.B': '4',
      'sandbox.secrets.API_KEY': 'k',
    });
    expect(parseEnvironment(env).unknown).toEqual([
      {
        written: 'CLOISTER_SANDBOX_SECRETS.c',
        message: 'is not a setting: names are capital letters, digits and `_`, a letter first, at most 64',
      },
    ]);
  });

  it('reads a bare boolean in place of a block that takes one', () => {
    expect(valuesOf({ CLOISTER_CACHE: 'true', CLOISTER_FEEDBACK: 'false' })).toEqual({
      'cache.enabled': true,
      'feedback.enabled': false,
    });
  });

  it.each([
    ['CLOISTER_SERVER', '8081', 'must be a JSON object'],
    ['CLOISTER_SERVER', '[]', 'must be a JSON object'],
    ['CLOISTER_SERVER', '', 'must be a JSON object: line 1, column 1: expected a value, but the text ends'],
    [
      'CLOISTER_CACHE',
      '{"ttl":',
      'must be a JSON object: line 1, column 8: expected a value, but the text ends',
    ],
    ['CLOISTER_CACHE', 'yes', 'must be true or false'],
    ['CLOISTER_CACHE', '[]', 'must be true or false'],
  ])('refuses %s=%s', (written, text, message) => {
    const { assignments, issues } = parseEnvironment({ [written]: text });
    expect([assignments, issues]).toEqual([[], [{ written, message }]]);
  });

  it('names what is unknown or wrong inside a block by the variable', () => {
    const { unknown, assignments } = parseEnvironment({
      CLOISTER_CACHE: '{"tll":1,"ttl":0,"__proto__":{"a":1}}',
    });
    expect(unknown).toEqual([
      { written: 'CLOISTER_CACHE.tll', message: 'is not a setting; did you mean cache.ttl?' },
      { written: 'CLOISTER_CACHE.__proto__', message: 'is not a setting' },
    ]);
    expect(assignments.map(({ written }) => written)).toEqual(['CLOISTER_CACHE.ttl']);
  });
});

describe('a setting as text', () => {
  it('tells apart what can be read and what cannot', () => {
    const port = findSetting('server.port')!;
    expect(parseSettingTexts([{ setting: port, written: '--port', text: '1' }])).toEqual({
      assignments: [{ setting: port, written: '--port', value: 1 }],
      issues: [],
    });
    expect(parseSettingTexts([{ setting: port, written: '--port', text: 'x' }])).toEqual({
      assignments: [],
      issues: [{ written: '--port', message: 'must be a whole number' }],
    });
  });
});

describe('misspelt environment variables', () => {
  it('takes no member of a family for a slip of the pen', () => {
    expect(
      findMisspeltVariables({ CLOISTER_SANDBOX_SECRETS_A: '1', CLOISTER_SANDBOX_SECRETS_AB: '1' }),
    ).toEqual([]);
  });

  it('finds variables that are nearly ours', () => {
    const env = {
      CLOISTER_SEVER_PORT: '1',
      CLOISTER_AUTH_RATELIMIT: '{}',
      CLOISTER_PORT: 'tcp://x',
      PATH: '',
    };
    expect(findMisspeltVariables(env)).toEqual([
      { setting: 'CLOISTER_SEVER_PORT', message: 'is ignored; did you mean CLOISTER_SERVER_PORT?' },
      { setting: 'CLOISTER_AUTH_RATELIMIT', message: 'is ignored; did you mean CLOISTER_AUTH_RATE_LIMIT?' },
    ]);
  });
});

const read = (path: string, text: string) => coerceText(findSetting(path)!.leaf, text);

describe('text of a setting coerced to its type', () => {
  it.each([
    ['server.port', '8081', 8081],
    ['server.shutdownSeconds', '0.5', 0.5],
    ['cors.enabled', 'true', true],
    ['cors.enabled', 'false', false],
    ['cors.origins', 'https://a.org, https://b.org', ['https://a.org', 'https://b.org']],
    ['cors.origins', '', []],
    ['server.name', '1', '1'],
    ['server.name', 'true', 'true'],
    ['auth.admin.id', '007', '007'],
    ['server.trustProxy', 'false', false],
    ['server.trustProxy', '2', 2],
    ['server.trustProxy', '10.0.0.0/8,::1', ['10.0.0.0/8', '::1']],
    ['media.tokenExpiresIn', '3600', 3600],
    ['media.tokenExpiresIn', '2 days', '2 days'],
  ])('%s=%s', (path, text, value) => {
    expect(read(path, text)).toEqual({ value });
  });

  it.each([
    ['server.port', '', 'must be a whole number'],
    ['server.port', '0x10', 'must be a whole number'],
    ['server.port', '1e3', 'must be a whole number'],
    ['server.port', ' 1', 'must be a whole number'],
    ['server.shutdownSeconds', 'Infinity', 'must be a number'],
    ['cors.enabled', '', 'must be true or false'],
    ['cors.enabled', 'yes', 'must be true or false'],
    ['cors.enabled', '1', 'must be true or false'],
    ['cors.enabled', 'TRUE', 'must be true or false'],
  ])('%s=%j is refused', (path, text, problem) => {
    expect(read(path, text)).toEqual({ issue: problem });
  });

  it('refuses an empty choice in the words of the setting', () => {
    expect(read('server.trustProxy', '')).toEqual({ issue: expect.stringContaining('must be false') });
  });
});
