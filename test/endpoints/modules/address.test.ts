import { describe, expect, it } from 'vitest';
import {
  addressOf,
  assertAddress,
  checkVersion,
  isAddress,
  keyOf,
  pathOf,
} from '../../../src/endpoints/modules/address.ts';
import { endpoint, hook } from './modules.ts';

describe('an address', () => {
  it('has a key and a path', () => {
    expect([keyOf(endpoint('report')), pathOf(endpoint('report'))]).toEqual([
      'endpoint:1.0/report',
      '/1.0/report',
    ]);
    expect([keyOf(hook('slugify')), pathOf(hook('slugify'))]).toEqual(['hook:slugify', '/api/hooks/slugify']);
  });

  it.each(['a', 'A-b_9', '__proto__', 'constructor', 'config', 'x'.repeat(100)])(
    'may be called %s',
    (name) => {
      expect(isAddress(endpoint(name))).toBe(true);
    },
  );

  it.each(['', '.', 'a.b', 'a/b', 'a b', 'é', 'a\0', 'x'.repeat(101), 'search'])(
    'may not be called %j',
    (name) => {
      expect(isAddress(endpoint(name))).toBe(false);
    },
  );

  it('of a hook has no reserved names', () => {
    expect(isAddress(hook('search'))).toBe(true);
    expect(isAddress(hook('a/b'))).toBe(false);
  });

  it('names every part that is wrong', () => {
    expect(() => assertAddress(endpoint('a.b', 'api'))).toThrow(
      expect.objectContaining({
        code: 'ENDPOINT_INVALID',
        items: [expect.objectContaining({ field: 'version' }), expect.objectContaining({ field: 'name' })],
      }),
    );
    expect(() => assertAddress(endpoint('a'))).not.toThrow();
  });
});

describe('checkVersion', () => {
  it('takes what can be the first segment of a path', () => {
    expect(['1.0', 'vjoin', 'beta-2'].map(checkVersion)).toEqual([undefined, undefined, undefined]);
    for (const version of ['api', 'token', '..', '.hidden', 'a..b', 'a/b', '', 'x'.repeat(201)]) {
      expect(checkVersion(version)).toBeTypeOf('string');
    }
  });
});

describe('addressOf', () => {
  it('reads the keys of records', () => {
    expect(addressOf('endpoint:1.0/report')).toEqual(endpoint('report'));
    expect(addressOf('hook:slugify')).toEqual(hook('slugify'));
    expect(addressOf('endpoint:1.0/../x')).toBeUndefined();
    expect(addressOf('something')).toBeUndefined();
  });
});
