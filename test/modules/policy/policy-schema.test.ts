import { describe, expect, it } from 'vitest';
import { isPrivilegedPolicy, POLICY_FORMATS } from '../../../src/modules/policy/policy-schema.ts';

const takes = (format: keyof typeof POLICY_FORMATS, texts: readonly string[]) =>
  texts.filter((text) => POLICY_FORMATS[format].test(text));

describe('the formats of a policy', () => {
  it.each([
    ['trust-domain', ['default', 'a', 'Shop_2-x'], ['', ' inspect', 'own:x', '-a', 'a b', 'x'.repeat(65)]],
    [
      'collection',
      ['1.0/library/books', 'v1/a/b.c'],
      ['books', '1.0/books', '1.0/a/b/c', '1.0//b', '1.0/*/b', '../a/b'],
    ],
    ['actor', ['caller', 'client:a.b@c'], ['client:', 'admin', 'client:*', 'client:a b', 'Caller']],
    [
      'origin',
      ['https://a.org', 'http://10.0.0.1:8080', 'http://[::1]:9000'],
      [
        ...[
          'https://a.org/',
          'https://a.org:443',
          'https://A.org',
          'https://u:p@a.org',
          'a.org',
          'ftp://a.org',
        ],
        ...['https://*', 'http://127.1', 'null', 'file://', 'http://0x7f.1'],
      ],
    ],
    [
      'path',
      ['/', '/v1/', '/v1/items', '/a%20b'],
      [
        '',
        'v1',
        '//a',
        '/a/../b',
        '/./a',
        '/a?b',
        '/a#b',
        '/a%2Fb',
        '/a%5cb',
        '/a\\b',
        '/a b',
        '/a/..;/b',
        '/a/%252e%252e/b',
        `/${'x'.repeat(2000)}`,
      ],
    ],
  ] as const)('%s', (format, good, bad) => {
    expect(takes(format, [...good, ...bad])).toEqual(good);
  });
});

describe('isPrivilegedPolicy', () => {
  it('is true for grants beyond a request and its response', () => {
    expect(isPrivilegedPolicy({})).toBe(false);
    const plain = { headers: ['accept', 'if-match'], maxBodyBytes: 1_000_000 };
    const response = { headers: ['x-*', 'etag'] };
    expect(isPrivilegedPolicy({ grants: { collections: [], fetch: [], request: plain, response } })).toBe(
      false,
    );
    expect(isPrivilegedPolicy({ grants: { request: { headers: ['accept', 'cookie'] } } })).toBe(true);
    expect(isPrivilegedPolicy({ grants: { response: { headers: ['set-cookie'] } } })).toBe(true);
    expect(isPrivilegedPolicy({ trustDomain: 'fast' })).toBe(true);
    expect(isPrivilegedPolicy({ grants: { fetch: [{ origin: 'https://a.org' }] } })).toBe(true);
    expect(isPrivilegedPolicy({ grants: { bcrypt: {} } })).toBe(true);
    expect(isPrivilegedPolicy({ grants: { collections: [{ name: 'a/b/c', actions: ['find'] }] } })).toBe(
      true,
    );
  });
});
