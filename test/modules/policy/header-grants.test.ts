import { describe, expect, it } from 'vitest';
import {
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  headerGrantCovers,
  headerGrantIssue,
  isPrivilegedHeader,
} from '../../../src/modules/policy/header-grants.ts';

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
