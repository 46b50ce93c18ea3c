import { expect, test } from 'vitest';
import { essence, isPassiveType } from '../../../src/lib/http/media-types.ts';

const EXTRA = new Set(['application/x-tar']);

test.each([
  ['text/HTML; charset=utf-8', 'text/html'],
  [' Image/PNG ', 'image/png'],
  ['', ''],
])('the essence of %j is %j', (mediaType, type) => {
  expect(essence(mediaType)).toBe(type);
});

test.each([
  ...['image/png', 'IMAGE/AVIF', 'Video/MP4', 'audio/ogg', 'font/woff2', 'text/plain;charset=x'],
  ...['application/json', 'application/zip', 'application/x-tar'],
])('a browser runs nothing in %s', (mediaType) => {
  expect(isPassiveType(mediaType, EXTRA)).toBe(true);
});

test.each([
  ...['text/html', 'text/xml', 'text/javascript', 'text/plainx', 'image/svg+xml', 'image/svg', 'video/x+xml'],
  ...['application/pdf', 'application/x-rar', 'image/png, text/html', 'image/', '*/*', ''],
])('a browser may run what is in %j', (mediaType) => {
  expect(isPassiveType(mediaType, EXTRA)).toBe(false);
});
