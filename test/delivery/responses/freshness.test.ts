import { expect, test } from 'vitest';
import { isFresh, parseHttpDate } from '../../../src/delivery/responses/freshness.ts';

const VERSION = { etag: '"a,b"', modifiedAt: Date.UTC(2026, 0, 1) + 500 };
const SAME = 'Thu, 01 Jan 2026 00:00:00 GMT';

test.each([
  ['"a,b"', true],
  ['W/"a,b"', true],
  ['"x", W/"a,b" , "y"', true],
  ['*', true],
  [' * ', true],
  ['"a"', false],
  ['a,b', false],
  ['', false],
])('If-None-Match %j fits: %j', (ifNoneMatch, fits) => {
  expect(isFresh({ ifNoneMatch, ifModifiedSince: undefined }, VERSION)).toBe(fits);
});

test.each([
  [SAME, true],
  ['Fri, 02 Jan 2026 00:00:00 GMT', true],
  ['Wed, 31 Dec 2025 23:59:59 GMT', false],
  ['2026-01-02', false],
  ['nonsense', false],
])('If-Modified-Since %j fits: %j', (ifModifiedSince, fits) => {
  expect(isFresh({ ifNoneMatch: undefined, ifModifiedSince }, VERSION)).toBe(fits);
});

test('a tag that does not fit wins over a date that does', () => {
  expect(isFresh({ ifNoneMatch: '"other"', ifModifiedSince: SAME }, VERSION)).toBe(false);
});

test('without a time a date says nothing', () => {
  const version = { etag: '"x"', modifiedAt: undefined };
  expect(isFresh({ ifNoneMatch: undefined, ifModifiedSince: SAME }, version)).toBe(false);
});

test('only HTTP dates are dates', () => {
  expect(parseHttpDate(SAME)).toBe(Date.UTC(2026, 0, 1));
  expect(parseHttpDate('1')).toBeUndefined();
});
