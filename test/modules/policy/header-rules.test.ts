import { describe, expect, it } from 'vitest';
import {
  createHeaderGrant,
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  headerGrantCovers,
  headerGrantIssue,
  isFramingHeader,
  isPrivilegedHeader,
} from '../../../src/modules/policy/header-rules.ts';

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
