import { expect, test } from 'vitest';
import {
  deliveredContentType,
  detectImageType,
  isCompressible,
  isRasterImage,
  securityHeaders,
} from '../../../src/delivery/responses/content-types.ts';

test.each([
  ['a/B.JPG', undefined, 'image/jpeg'],
  ['a.css', undefined, 'text/css; charset=utf-8'],
  ['a.js.exe', undefined, 'application/octet-stream'],
  ['constructor', undefined, 'application/octet-stream'],
  ['a.jpg', 'image/png', 'image/png'],
  ['a.jpg', 'application/octet-stream', 'image/jpeg'],
])('the file %j, declared as %j, has the type %j', (path, declared, type) => {
  expect(deliveredContentType(path, declared)).toBe(type);
});

test.each([
  ['image/jpeg', true],
  ['IMAGE/PNG; x=y', true],
  ['image/svg+xml', false],
  ['Image/SVG+XML; charset=utf-8', false],
  ['text/html', false],
])('%j is a raster image: %j', (type, is) => {
  expect(isRasterImage(type)).toBe(is);
});

test.each([
  'text/html',
  'text/HTML; charset=utf-8',
  'image/svg+xml',
  'application/xhtml+xml',
  'application/pdf',
  'text/xsl',
  'application/x-unknown',
  'image/png, text/html',
])('the type %j is sent in a sandbox', (type) =>
  expect(securityHeaders(type)).toEqual({ 'Content-Security-Policy': 'sandbox' }),
);

test.each([
  'image/png',
  'text/css; charset=utf-8',
  'text/javascript',
  'font/woff2',
  'video/mp4',
  'application/json',
])('the type %j needs no sandbox', (type) => expect(securityHeaders(type)).toEqual({}));

test.each([
  ['text/css; charset=utf-8', true],
  ['application/json', true],
  ['image/svg+xml', true],
  ['font/ttf', true],
  ['font/woff2', false],
  ['image/png', false],
  ['application/octet-stream', false],
])('%j is compressible: %j', (type, is) => {
  expect(isCompressible(type)).toBe(is);
});

test.each([
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['\x89PNG\r\n\x1a\n....', 'image/png'],
  ['GIF89a......', 'image/gif'],
  ['RIFF\n\r\u2028.WEBP', 'image/webp'],
  ['II*\0........', 'image/tiff'],
  ['\0\0\0\x20ftypavif', 'image/avif'],
  ['\0\0\0\x20ftypmp42', undefined],
  ['<svg xmlns=', undefined],
  ['', undefined],
])('the bytes %j are of the type %j', (head, type) => {
  expect(detectImageType(Buffer.from(head, 'latin1'))).toBe(type);
});
