import { describe, expect, it, test } from 'vitest';
import { originOf } from '../../../src/lib/egress/addresses.ts';
import {
  createHeaderGrant,
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  findFetchGrant,
  headerGrantCovers,
  headerGrantIssue,
  isFramingHeader,
  isPrivilegedHeader,
} from '../../../src/modules/policy/grants.ts';
import { fetchGrant } from '../../capabilities/fetch/servers.ts';

const FRAMING = [
  ...['connection', 'content-length', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
];
/** What speaks for more than one answer, or carries a credential. */
const BY_NAME = [
  ...['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'date', 'server', 'set-cookie'],
  ...['strict-transport-security', 'access-control-allow-origin', 'access-control-allow-credentials'],
  ...['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-url', 'x-forwarded-for'],
  ...['x-request-id', 'x-cache', 'x-cache-lookup', 'x-content-type-options', 'x-frame-options'],
  ...['content-security-policy', 'clear-site-data', 'alt-svc', 'service-worker-allowed', 'report-to'],
];
/** What nobody but a proxy or a browser reads in an answer. */
const INTERPRETED = [
  ...['x-litespeed-location', 'x-litespeed-purge', 'x-litespeed-cache-control', 'x-sendfile-temporary'],
  ...['x-sendfile2', 'x-accel-expires', 'x-lighttpd-send-file', 'x-send-file', 'x-cache-tags', 'x-purge'],
  ...['x-amz-website-redirect-location', 'x-middleware-rewrite', 'x-original-url', 'x-fastly-key', 'xkey'],
  ...[
    'surrogate-control',
    'surrogate-key',
    'cdn-cache-control',
    'cloudflare-cdn-cache-control',
    'edge-control',
  ],
  ...['timing-allow-origin', 'www-authenticate', 'refresh', 'link', 'hx-redirect', 'proxy-authenticate'],
  ...['permissions-policy', 'cross-origin-resource-policy', 'referrer-policy', 'age', 'via', 'sourcemap'],
  ...['x-webkit-csp', 'x-xss-protection', 'x-permitted-cross-domain-policies', 'x-dns-prefetch-control'],
];
const CREDENTIALS = [
  ...['x-vault-token', 'cf-access-jwt-assertion', 'x-amzn-oidc-data', 'x-csrf-token', 'x-session-id'],
  ...['x-ms-client-principal', 'ssl-client-cert', 'apikey', 'x-goog-iap-jwt-assertion'],
];

describe('a header grant', () => {
  it('allows listed names in any case', () => {
    const grant = createHeaderGrant('response', ['Accept', 'x-one']);
    expect(['accept', 'x-one', 'x-on', 'x-one2', 'accept-language'].map(grant.allows)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect([grant.exact, grant.hasPatterns]).toEqual([['accept', 'x-one'], false]);
  });

  it('allows names that a pattern covers', () => {
    const grant = createHeaderGrant('response', ['x-*', 'etag']);
    expect(['x-', 'x-a', 'etag', 'xa', 'content-type'].map(grant.allows)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(grant.hasPatterns).toBe(true);
  });

  it.each(FRAMING)('never allows %s', (name) => {
    expect(isFramingHeader(name)).toBe(true);
    const grant = createHeaderGrant('response', [name, `${name.slice(0, 2)}*`, '*']);
    expect(grant.allows(name)).toBe(false);
    expect(grant.exact).toEqual([]);
  });

  it.each(BY_NAME)('allows %s by its name and by no pattern', (name) => {
    expect(isFramingHeader(name)).toBe(false);
    expect(createHeaderGrant('response', ['*', 'x-*', `${name.slice(0, -1)}*`]).allows(name)).toBe(false);
    expect(createHeaderGrant('response', [name]).allows(name)).toBe(true);
  });

  it.each(INTERPRETED)('of a response allows %s by its name and by no pattern', (name) => {
    const patterns = ['*', 'x-*', name.slice(0, name.indexOf('-') + 1 || 1)];
    expect(createHeaderGrant('response', patterns).allows(name)).toBe(false);
    expect(createHeaderGrant('response', [name]).allows(name)).toBe(true);
  });

  it.each(CREDENTIALS)('of a request allows %s by its name and by no pattern', (name) => {
    expect(createHeaderGrant('request', ['*', 'x-*', 'cf-*']).allows(name)).toBe(false);
    expect(createHeaderGrant('request', [name]).allows(name)).toBe(true);
  });

  it.each([
    'x-total-count',
    'x-ratelimit-limit',
    'x-robots-tag',
    'x-shop-id',
    'retry-after',
    'content-range',
  ])('of a response allows %s by a pattern', (name) => {
    expect(createHeaderGrant('response', ['*']).allows(name)).toBe(true);
  });

  it('allows nothing when it is empty, not even inherited members', () => {
    const grant = createHeaderGrant('response', []);
    expect(['constructor', '__proto__', ''].map(grant.allows)).toEqual([false, false, false]);
  });
});

describe('headerGrantIssue', () => {
  it('accepts every default', () => {
    for (const entry of DEFAULT_REQUEST_HEADERS) expect(headerGrantIssue('request', entry)).toBeUndefined();
    for (const entry of DEFAULT_RESPONSE_HEADERS) expect(headerGrantIssue('response', entry)).toBeUndefined();
  });

  it.each(['set-cookie', 'access-control-allow-origin', 'x-accel-redirect', 'content-*', 'x-shop-*'])(
    'takes %s',
    (entry) => {
      expect(headerGrantIssue('response', entry)).toBeUndefined();
    },
  );

  it.each([
    'content-length',
    'te',
    '',
    '*',
    'x*',
    'X-Total',
    'a b',
    'a\r\nb',
    'x-*-y',
    'é',
    'x-accel-*',
    'x-litespeed-*',
  ])('rejects %j', (entry) => {
    expect(headerGrantIssue('response', entry)).toBeTypeOf('string');
  });
});

describe('headerGrantCovers', () => {
  it.each([
    ['x-*', 'x-total'],
    ['x-*', 'x-shop-*'],
    ['*', 'etag'],
    ['*', 'x-*'],
    ['set-cookie', 'set-cookie'],
  ])('%s covers %s', (entry, asked) => {
    expect(headerGrantCovers('response', entry, asked)).toBe(true);
  });

  it.each([
    ['x-*', 'etag'],
    ['x-shop-*', 'x-*'],
    ['x-*', 'x-forwarded-for'],
    ['x-*', 'x-api-key'],
    ['*', 'set-cookie'],
    ['*', 'access-control-*'],
    ['content-*', 'content-length'],
    ['content-*', 'content-security-policy'],
    ['te', 'te'],
    ['etag', 'etags'],
    ['*', 'surrogate-control'],
    ['*', 'www-authenticate'],
    ['*', 'x-cache-*'],
    ['x-*', 'x-litespeed-purge'],
  ])('%s does not cover %s', (entry, asked) => {
    expect(headerGrantCovers('response', entry, asked)).toBe(false);
  });
});

describe('isPrivilegedHeader', () => {
  it('is true for headers that may carry a credential or affect more than this response', () => {
    const of = (direction: 'request' | 'response', names: readonly string[]) =>
      names.filter((name) => isPrivilegedHeader(direction, name));
    const shown = ['authorization', 'cookie', 'x-api-key', 'proxy-authorization', 'x-*', 'referer', 'x-mine'];
    expect(of('request', shown)).toEqual(shown);
    expect(of('request', [...DEFAULT_REQUEST_HEADERS, 'if-match', 'sec-ch-*', 'origin', 'range'])).toEqual(
      [],
    );
    const set = ['set-cookie', 'content-security-policy', 'surrogate-control', 'link', 'x-accel-redirect'];
    expect(of('response', set)).toEqual(set);
    expect(of('response', [...DEFAULT_RESPONSE_HEADERS, 'x-total', 'retry-after', 'content-*'])).toEqual([]);
  });
});

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
