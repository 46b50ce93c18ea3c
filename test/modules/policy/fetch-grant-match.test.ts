import { describe, expect, test } from 'vitest';
import { originOf } from '../../../src/lib/egress/addresses.ts';
import { findFetchGrant } from '../../../src/modules/policy/fetch-grant-match.ts';
import { fetchGrant } from '../../capabilities/fetch/servers.ts';

const API = 'https://api.example.com';
const grants = [
  fetchGrant(API, { methods: ['GET'], paths: ['/v1/', '/health', '/a b/'] }),
  fetchGrant('http://api.example.com:8080', { methods: ['post'], paths: ['/'] }),
];
const covered = (url: string, method = 'GET') => findFetchGrant(grants, new URL(url), method);

test.each([
  `${API}/v1/`,
  `${API}/v1/books?x=/../../`,
  `${API}/v1/a/../b`,
  `${API}/v1/%41%20b`,
  `${API}/health`,
  `${API}/health?deep=1#top`,
  `${API}:443/health`,
  `${API}./health`,
  'https://API.example.com/health',
  `${API}/a%20b/c`,
  `${API}/v1/...`,
  `${API}/v1/a..b/x;y`,
])('a fetch grant covers %s', (url) => {
  expect(covered(url)).toBe(grants[0]);
});

describe('a fetch grant does not cover', () => {
  test.each([
    // Another place.
    ...[`${API}/`, `${API}/v1`, `${API}/v2/`, `${API}/healthy`, `${API}/health/`, `${API}/V1/x`],
    ...[`${API}:8443/health`, 'http://api.example.com/health', 'https://example.com/health'],
    ...['https://xapi.example.com/health', 'https://api.example.com.evil.com/health', `${API}../health`],
    ...['https://evil.com/v1/', 'https://evil.com/?https://api.example.com/v1/'],
    // Credentials and other schemes.
    ...[
      'https://u@api.example.com/health',
      'https://u:p@api.example.com/health',
      'https://:p@api.example.com/v1/',
    ],
    ...['https://api.example.com@evil.com/v1/', 'ftp://api.example.com/v1/', 'ws://api.example.com/v1/'],
    ...['file:///v1/', 'data:,x', 'blob:https://api.example.com/v1/'],
    // Steps out of the folder.
    ...[`${API}/v1/../admin`, `${API}/v1/%2e%2e/admin`, `${API}/v1/.%2E/admin`, `${API}\\v1\\..\\admin`],
    ...[`${API}/v1/..%2fadmin`, `${API}/v1/..%5cadmin`, `${API}/v1/%2e%2e%2fadmin`, `${API}/v1/a%2Fb`],
    ...[`${API}/v1/%252e%252e/admin`, `${API}/v1/..%252fadmin`, `${API}/v1/%25252e%25252e/admin`],
    ...[`${API}/v1/..;/admin`, `${API}/v1/..;a=b/admin`, `${API}/v1/%2e%2e;/admin`, `${API}/v1/.;/x`],
    ...[`${API}/v1/a%00`, `${API}/v1/a%0d%0ab`, `${API}/v1/%`, `${API}/v1/%ff`, `${API}/v1/%2525252541`],
  ])('%s', (url) => {
    expect(covered(url)).toBeUndefined();
  });
});

test('methods of a fetch grant apply to its origin and paths only', () => {
  expect(covered(`${API}/health`, 'POST')).toBeUndefined();
  expect(covered(`${API}/health`, 'HEAD')).toBeUndefined();
  expect(covered('http://api.example.com:8080/anything', 'POST')).toBe(grants[1]);
  expect(covered('http://api.example.com:8080/anything', 'GET')).toBeUndefined();
});

test('the first of several fetch grants wins, and none covers nothing', () => {
  const [first, second] = [fetchGrant(API), fetchGrant(API, { maxBytes: 1 })];
  expect(findFetchGrant([first!, second!], new URL(API), 'GET')).toBe(first);
  expect(findFetchGrant([], new URL(API), 'GET')).toBeUndefined();
  expect(findFetchGrant([fetchGrant(API, { paths: [] })], new URL(API), 'GET')).toBeUndefined();
  expect(findFetchGrant([fetchGrant('not an origin')], new URL(API), 'GET')).toBeUndefined();
});

test('a granted path is never parsed as a host or a query', () => {
  const odd = [fetchGrant(API, { paths: ['//evil.com/v1/'] })];
  expect(findFetchGrant(odd, new URL(`${API}/v1/`), 'GET')).toBeUndefined();
  const query = [fetchGrant(API, { paths: ['/find?q='] })];
  expect(findFetchGrant(query, new URL(`${API}/find`), 'GET')).toBeUndefined();
});

test('an origin of a fetch grant is compared in one spelling', () => {
  const spelt = ['https://A.com:443/x', 'https://a.com./x', 'http://[::1]:80/', 'http://127.1:8080/'];
  expect(spelt.map((url) => originOf(new URL(url)))).toEqual([
    'https://a.com',
    'https://a.com',
    'http://[::1]',
    'http://127.0.0.1:8080',
  ]);
});
