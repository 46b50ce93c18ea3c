import { expect, test } from 'vitest';
import { parseRange } from '../../../src/http/media/byte-range.ts';

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-9', 0, 9],
  ['bytes=2-', 2, 9],
  ['bytes=-3', 7, 9],
  ['bytes=-99', 0, 9],
  ['bytes=5-99999', 5, 9],
  ['Bytes= 2-3 ', 2, 3],
])('%s of ten bytes is a part of them', (header, start, end) => {
  expect(parseRange(header, 10)).toEqual({ start, end });
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=999999999999999-'])(
  '%s of ten bytes does not exist',
  (header) => {
    expect(parseRange(header, 10)).toBe('unsatisfiable');
  },
);

test.each([
  ...[
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=3-2',
    'bytes=1-2x',
    'bytes=--1',
    'bytes=1--2',
  ],
  ...[
    'items=0-1',
    'bytes=0-1,3-4',
    'bytes=0-1,',
    'bytes=9999999999999999-',
    'bytes=0x1-2',
    'bytes=1e1-',
    'bytes=+1-2',
  ],
])('%s is ignored', (header) => {
  expect(parseRange(header, 10)).toBeUndefined();
});

test('an empty file has no first byte, and its last bytes are all of it', () => {
  expect(parseRange('bytes=0-', 0)).toBe('unsatisfiable');
  expect(parseRange('bytes=-1', 0)).toBeUndefined();
});
