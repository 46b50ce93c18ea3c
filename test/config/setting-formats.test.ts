import { describe, expect, it } from 'vitest';
import { SETTING_FORMATS } from '../../src/config/setting-formats.ts';

const CASES = {
  network: {
    good: ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', 'loopback', '0.0.0.0/0', '::/128'],
    bad: ['', '10.0.0.0/33', '::/129', '10.0.0', '10.0.0.0/', '10.0.0.0/8/8', 'example.org', '10.0.0.0/-1'],
  },
  origin: {
    good: ['*', 'https://example.org', 'http://localhost:3000', 'http://[::1]:8080'],
    bad: ['', 'example.org', 'https://example.org/', 'https://example.org/a', 'ftp://example.org', 'null'],
  },
  'http-url': {
    good: ['https://example.org/a?ip={ip}&key={key}', 'http://localhost:9000'],
    bad: ['', 'example.org', 'file:///etc/passwd', 'javascript:alert(1)', '//example.org'],
  },
  'service-url': {
    good: [
      'https://s3.example.org',
      'http://127.0.0.1:9000/',
      'https://S3.Example.org:443',
      'http://[::1]:9000',
    ],
    bad: [
      '',
      's3.example.org',
      'https://s3.example.org/bucket',
      'https://key:secret@s3.example.org',
      'ftp://a',
      'https://a/?b',
    ],
  },
  'issuer-name': {
    good: ['a', 'login-1', 'ACME'],
    bad: ['', 'a:b', 'a_b', 'é', 'a b', 'a\n', 'x'.repeat(51)],
  },
  'keys-url': {
    good: [
      'https://login.example.org/jwks?a=b',
      'https://10.0.0.1/jwks',
      'http://localhost:3000/jwks',
      'http://127.8.0.1/jwks',
      'http://[::1]:9000/jwks',
    ],
    bad: [
      '',
      'login.example.org/jwks',
      'http://login.example.org/jwks',
      'http://10.0.0.1/jwks',
      'http://127.0.0.1.example.org/jwks',
      'http://localhost.example.org/jwks',
      'https://a:b@login.example.org/jwks',
      'https://login.example.org/jwks#a',
      'file:///jwks',
    ],
  },
  'claim-path': { good: ['roles', 'realm_access.roles', 'é'], bad: ['', '.', 'a.', '.a', 'a..b'] },
  'bucket-name': {
    good: ['abc', 'pictures.example.org', 'a-1'],
    bad: ['', 'ab', 'Pictures', 'a_b_c', '-abc', 'abc.', 'a..b', '192.168.0.1', 'x'.repeat(64), 'a/b'],
  },
  'mongodb-uri': {
    good: [
      'mongodb://localhost',
      'mongodb://a:b%40c@h1:27017,h2/content?replicaSet=rs0',
      'mongodb+srv://cluster.example.org/',
    ],
    bad: ['', 'localhost:27017', 'mongodb://', 'mongodb:///content', 'http://localhost', 'mongodb://a b/c'],
  },
  'time-span': {
    good: ['1h', '10h', '2 days', '7d', '1.5 hours', '30 minutes'],
    bad: ['', '3600', 'soon', '1 fortnight', '-1h', '10 ms', 'h1', '1h30m'],
  },
} as const;

describe.each(Object.entries(CASES))('format %s', (name, { good, bad }) => {
  it.each(good)('accepts %j', (text) => {
    expect(SETTING_FORMATS[name]?.test(text)).toBe(true);
  });

  it.each(bad)('refuses %j', (text) => {
    expect(SETTING_FORMATS[name]?.test(text)).toBe(false);
  });
});
