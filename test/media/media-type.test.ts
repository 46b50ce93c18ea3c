import { expect, it } from 'vitest';
import { mediaTypeOf } from '../../src/media/media-type.ts';

it.each([
  ['image/png', 'image/png'],
  ['Image/PNG', 'image/png'],
  ['text/plain; charset=utf-8', 'text/plain'],
  ['application/vnd.api+json', 'application/vnd.api+json'],
  [' image/png ', 'image/png'],
])('keeps the media type %j', (declared, kept) => {
  expect(mediaTypeOf(declared)).toBe(kept);
});

it.each([
  '',
  'png',
  'image/',
  '/png',
  'image/png/x',
  'image /png',
  'a/b\r\nX: y',
  'ä/b',
  `a/${'b'.repeat(300)}`,
])('takes %j for unknown', (declared) => {
  expect(mediaTypeOf(declared)).toBe('application/octet-stream');
});
