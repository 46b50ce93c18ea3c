import { expect, test } from 'vitest';
import { parseByteRange } from '../../../src/lib/http/byte-range.ts';

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
