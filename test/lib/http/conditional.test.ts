import { expect, test } from 'vitest';
import {
  evaluateConditions,
  matchesIfNoneMatch,
  matchesIfRange,
  parseByteRange,
  parseHttpDate,
} from '../../../src/lib/http/conditional.ts';

const FILE = { etag: '"abc"', modifiedAt: Date.UTC(1994, 10, 6, 8, 49, 37, 500) };
const UNDATED = { etag: '"abc"', modifiedAt: undefined };
const SAME = 'Sun, 06 Nov 1994 08:49:37 GMT';
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT';

test.each([
  ['"a,b"', '"a,b"', true],
  ['W/"a,b"', '"a,b"', true],
  ['"x", W/"a,b" , "y"', '"a,b"', true],
  ['"x","a,b"', '"a,b"', true],
  ['nonsense, "a,b"', '"a,b"', true],
  ['*', '"a,b"', true],
  [' * ', '"a,b"', true],
  ['"a"', '"a,b"', false],
  ['"a,b', '"a,b"', false],
  ['a,b', '"a,b"', false],
  ['x"a,b"', '"a,b"', false],
  ['"a,b"x', '"a,b"', false],
  ['w/"a,b"', '"a,b"', false],
  ['', '"a,b"', false],
  [',', '"a,b"', false],
  [undefined, '"a,b"', false],
])('If-None-Match %j names the tag %j: %j', (header, etag, named) => {
  expect(matchesIfNoneMatch(header, etag)).toBe(named);
});

test('a long If-None-Match is read in linear time', () => {
  for (const part of ['"a', ' ', ',', '"', 'W/"', '"a" ']) {
    expect(matchesIfNoneMatch(`${part.repeat(30_000)}, "abc"x`, FILE.etag)).toBe(false);
  }
});

test.each([
  [{}, 'send'],
  [{ ifNoneMatch: '"abc"' }, 'unmodified'],
  [{ ifNoneMatch: '"x", W/"abc"' }, 'unmodified'],
  [{ ifNoneMatch: '*' }, 'unmodified'],
  [{ ifNoneMatch: '"x"' }, 'send'],
  [{ ifNoneMatch: 'abc' }, 'send'],
  [{ ifNoneMatch: '"x"', ifModifiedSince: SAME }, 'send'],
  [{ ifModifiedSince: SAME }, 'unmodified'],
  [{ ifModifiedSince: AFTER }, 'unmodified'],
  [{ ifModifiedSince: BEFORE }, 'send'],
  [{ ifModifiedSince: '1994-11-06' }, 'send'],
  [{ ifModifiedSince: 'Sun, 99 Nov 1994 08:49:37 GMT' }, 'send'],
  [{ ifMatch: '"abc"' }, 'send'],
  [{ ifMatch: '"x", "abc"' }, 'send'],
  [{ ifMatch: '*' }, 'send'],
  [{ ifMatch: 'W/"abc"' }, 'failed'],
  [{ ifMatch: '"x"' }, 'failed'],
  [{ ifMatch: '"abc"', ifUnmodifiedSince: BEFORE }, 'send'],
  [{ ifMatch: '"abc"', ifNoneMatch: '"abc"' }, 'unmodified'],
  [{ ifUnmodifiedSince: SAME }, 'send'],
  [{ ifUnmodifiedSince: BEFORE }, 'failed'],
  [{ ifUnmodifiedSince: 'yesterday' }, 'send'],
] as const)('the conditions %j on a file evaluate to %s', (headers, result) => {
  expect(evaluateConditions({ ...headers }, FILE)).toBe(result);
});

test.each([
  [{ ifNoneMatch: '"abc"' }, 'unmodified'],
  [{ ifModifiedSince: AFTER }, 'send'],
  [{ ifUnmodifiedSince: BEFORE }, 'send'],
] as const)('the conditions %j on a file without a date evaluate to %s', (headers, result) => {
  expect(evaluateConditions({ ...headers }, UNDATED)).toBe(result);
});

test.each([
  [undefined, true],
  ['"abc"', true],
  [' "abc" ', true],
  [SAME, true],
  ['W/"abc"', false],
  ['"x"', false],
  ['*', false],
  [BEFORE, false],
  [AFTER, false],
  ['tomorrow', false],
])('If-Range %j lets a range be sent: %j', (header, isSent) => {
  expect(matchesIfRange(header, FILE)).toBe(isSent);
});

test('If-Range with a date never holds for a file without one', () => {
  expect(matchesIfRange(SAME, UNDATED)).toBe(false);
  expect(matchesIfRange('tomorrow', UNDATED)).toBe(false);
});

test.each([SAME, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', ` ${SAME} `])(
  'the HTTP date %j is parsed',
  (date) => {
    expect(parseHttpDate(date)).toBe(Math.floor(FILE.modifiedAt / 1000));
  },
);

test.each([undefined, '', '1', '1994-11-06', 'Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37'])(
  '%j is no HTTP date',
  (date) => {
    expect(parseHttpDate(date)).toBeUndefined();
  },
);

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-9', 0, 9],
  ['bytes=2-', 2, 9],
  ['bytes=-3', 7, 9],
  ['bytes=-99', 0, 9],
  ['bytes=5-99999', 5, 9],
  ['Bytes= 2-3 ', 2, 3],
  ['bytes=\t2-3\t', 2, 3],
])('the range %s of a file of ten bytes is sent', (header, start, end) => {
  expect(parseByteRange(header, 10)).toEqual({ start, end });
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-'])(
  'the range %s of a file of ten bytes is unsatisfiable',
  (header) => {
    expect(parseByteRange(header, 10)).toBe('unsatisfiable');
  },
);

test.each([
  ...[undefined, '', 'bytes', 'bytes=', 'bytes=-', 'bytes=a-b', 'bytes=3-2', 'bytes=1-2x', 'bytes=--1'],
  ...['bytes=1--2', 'bytes=1 - 2', 'bytes=1 -', 'bytes=- 3', 'items=0-1', 'bytes=0-1,3-4', 'bytes=0-1,'],
  ...['bytes=9999999999999999-', 'bytes=0x1-2', 'bytes=1e1-', 'bytes=+1-2'],
])('the range %j is ignored', (header) => {
  expect(parseByteRange(header, 10)).toBeUndefined();
});

test.each([
  ['bytes=0-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=-1', undefined],
])('the range %s of an empty file gives %s', (header, range) => {
  expect(parseByteRange(header, 0)).toBe(range);
});
