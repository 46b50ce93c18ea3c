import { expect, test } from 'vitest';
import { selectByteRange } from '../../../src/delivery/responses/range.ts';

const version = { etag: '"t"', modifiedAt: Date.UTC(2026, 0, 1) };
const of = (range: string | undefined, { ifRange, size = 10 }: { ifRange?: string; size?: number } = {}) =>
  selectByteRange({ range, ifRange }, { size, version });

test.each([
  ['bytes=0-3', { start: 0, end: 3 }],
  ['bytes=4-', { start: 4, end: 9 }],
  ['bytes=8-99', { start: 8, end: 9 }],
  ['bytes=-3', { start: 7, end: 9 }],
  ['bytes=-99', { start: 0, end: 9 }],
  ['Bytes= 1 - 2 ', { start: 1, end: 2 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
])('of ten bytes %j asks for %j', (range, part) => {
  expect(of(range)).toEqual(part);
});

test.each([undefined, '', 'bytes=', 'bytes=-', 'bytes=3-1', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b'])(
  'the range %j asks for the whole file',
  (range) => expect(of(range)).toBeUndefined(),
);

test.each([
  ['"t"', true],
  ['W/"t"', false],
  ['"u"', false],
  ['Thu, 01 Jan 2026 00:00:00 GMT', true],
  ['Fri, 02 Jan 2026 00:00:00 GMT', false],
])('a part behind If-Range %j is sent: %j', (ifRange, sent) => {
  expect(of('bytes=0-1', { ifRange }) !== undefined).toBe(sent);
});

test('an empty file has no parts', () => {
  expect(of('bytes=0-', { size: 0 })).toBe('none');
});
