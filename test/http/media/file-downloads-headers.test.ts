import { expect, test } from 'vitest';
import { fileContentType, fileHeaders, isActiveType } from '../../../src/http/media/file-downloads.ts';

const FILE = {
  fileName: 'photo.jpg',
  mimetype: 'image/jpeg',
  size: 5,
  modifiedAt: Date.UTC(2026, 10, 22, 1, 2, 3, 999),
  validator: 'abc',
  open: () => Promise.reject(new Error('not opened')),
};

test('the headers of a picture that needs a token are private', () => {
  expect(fileHeaders(FILE, false)).toEqual({
    'content-type': 'image/jpeg',
    'x-content-type-options': 'nosniff',
    'content-disposition': "inline; filename*=UTF-8''photo.jpg",
    'accept-ranges': 'bytes',
    etag: '"abc"',
    'last-modified': 'Sun, 22 Nov 2026 01:02:03 GMT',
    'cache-control': 'private, no-cache',
  });
  expect(fileHeaders(FILE, true)['cache-control']).toBe('public, no-cache');
});

test.each([
  ['a b&c.png', 'a%20b%26c.png'],
  ['ünï.jpg', '%C3%BCn%C3%AF.jpg'],
  [`x'(*)".txt`, 'x%27%28%2A%29%22.txt'],
  ['a\r\nSet-Cookie: b', 'a%0D%0ASet-Cookie%3A%20b'],
  ['\ud800.txt', '%EF%BF%BD.txt'],
])('the name %j is written so that every character is safe', (fileName, encoded) => {
  expect(fileHeaders({ ...FILE, fileName }, false)['content-disposition']).toBe(
    `inline; filename*=UTF-8''${encoded}`,
  );
});

test.each(['text/plain', 'text/plain; charset=utf-8', 'image/jpeg', 'a/b;c="d e"; f=g'])(
  '%s is sent as declared',
  (type) => {
    expect(fileContentType(type)).toBe(type);
  },
);

test.each([
  '',
  'text',
  'text/',
  '/plain',
  'text/plain\r\nx: y',
  'text/plain, a/b',
  `a/${'b'.repeat(300)}`,
  'te xt/plain',
  'tëxt/plain',
])('%j is sent as application/octet-stream', (type) =>
  expect(fileContentType(type)).toBe('application/octet-stream'),
);

test.each([
  ...[
    'text/html',
    'TEXT/HTML; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'image/svg',
    'text/xml',
  ],
  ...[
    'application/xml',
    'application/rss+xml',
    'application/pdf',
    'text/javascript',
    'application/ecmascript',
  ],
  ...[
    'application/x-shockwave-flash',
    'multipart/related',
    'message/rfc822',
    'text/unknown',
    'x/y',
    'video/x+xml',
  ],
  ...['text/xsl', 'text/cache-manifest', 'application/x-xpinstall', 'model/x3d+xml', 'text/plainx', '*/*'],
])('%s may be active, and is sent in a sandbox', (mimetype) => {
  expect(isActiveType(mimetype)).toBe(true);
  expect(fileHeaders({ ...FILE, mimetype }, true)['content-security-policy']).toBe('sandbox');
});

test.each([
  'image/png',
  'image/avif',
  'Video/MP4',
  'audio/ogg',
  'font/woff2',
  'text/plain;charset=x',
  'application/zip',
])('%s is passive', (mimetype) => expect(isActiveType(mimetype)).toBe(false));
