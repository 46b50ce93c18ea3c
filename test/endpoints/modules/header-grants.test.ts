import { describe, expect, it } from 'vitest';
import {
  DEFAULT_REQUEST_HEADERS,
  DEFAULT_RESPONSE_HEADERS,
  headerGrantCovers,
  headerGrantProblem,
} from '../../../src/endpoints/modules/header-grants.ts';

describe('headerGrantProblem', () => {
  it('takes every default', () => {
    for (const entry of [...DEFAULT_REQUEST_HEADERS, ...DEFAULT_RESPONSE_HEADERS]) {
      expect(headerGrantProblem(entry)).toBeUndefined();
    }
  });

  it.each(['set-cookie', 'access-control-allow-origin', 'x-accel-redirect', 'content-*', 'x-shop-*'])(
    'takes %s',
    (entry) => {
      expect(headerGrantProblem(entry)).toBeUndefined();
    },
  );

  it.each(['content-length', 'te', '', '*', 'x*', 'X-Total', 'a b', 'a\r\nb', 'x-*-y', 'é', 'x-accel-*'])(
    'refuses %j',
    (entry) => {
      expect(headerGrantProblem(entry)).toBeTypeOf('string');
    },
  );
});

describe('headerGrantCovers', () => {
  it.each([
    ['x-*', 'x-total'],
    ['x-*', 'x-shop-*'],
    ['*', 'etag'],
    ['*', 'x-*'],
    ['set-cookie', 'set-cookie'],
  ])('%s covers %s', (entry, asked) => {
    expect(headerGrantCovers(entry, asked)).toBe(true);
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
  ])('%s does not cover %s', (entry, asked) => {
    expect(headerGrantCovers(entry, asked)).toBe(false);
  });
});
