import { expect, test } from 'vitest';
import {
  decodeOriginalPath,
  isOriginalPath,
  originalAddress,
  splitName,
} from '../../../src/delivery/sources/original-path.ts';

test.each([
  ['a.jpg', 'a.jpg'],
  ['folder/a%20b.jpg', 'folder/a b.jpg'],
  ['caf%C3%A9.jpg', 'café.jpg'],
  ['a%2Bb+c.jpg', 'a+b+c.jpg'],
  ['100%2525.jpg', '100%25.jpg'],
])('the path %s is decoded once, to %s', (encoded, path) => {
  expect(decodeOriginalPath(encoded)).toBe(path);
});

test.each([
  ...['', '/', 'a//b', '/a', 'a/', '.', '..', '../a', 'a/../b', 'a/./b', '%2e%2e/a', '%2E%2e%2fa'],
  ...['..%2fa', 'a%2fb', 'a%2Fb', '..%5ca', 'a\\b', 'a%5Cb', '%00', 'a%00.jpg', 'a%0a', 'a%7f'],
  ...['.env', 'a/.git/config', '%2eenv', '%', '%zz', 'a%c0%af', '%ff', '%ed%a0%80'],
  ...['a'.repeat(256), 'é'.repeat(128), 'a/'.repeat(1024), 'a/'.repeat(5000)],
])('the path %j is none that a source may look up', (encoded) => {
  expect(decodeOriginalPath(encoded)).toBeUndefined();
});

test('a decoded path is judged as it is, without decoding it again', () => {
  expect(isOriginalPath('a%2fb')).toBe(true);
  expect(isOriginalPath('a/../b')).toBe(false);
});

test.each([
  ['/thumbs/a/b.jpg', { name: 'thumbs', rest: 'a/b.jpg' }],
  ['/th%75mbs/a%20b', { name: 'thumbs', rest: 'a%20b' }],
  ['/thumbs/https://host/a', { name: 'thumbs', rest: 'https://host/a' }],
  ['/thumbs/', { name: 'thumbs', rest: '' }],
  ['/thumbs', undefined],
  ['/', undefined],
  ['//a', { name: '', rest: 'a' }],
  ['/%zz/a', undefined],
  ['http://host/a', undefined],
])('the path %j begins with %j', (path, split) => {
  expect(splitName(path)).toEqual(split);
});

const shown = (encoded: string, base?: string) => {
  const address = originalAddress(encoded, base);
  return address === undefined ? undefined : 'path' in address ? address.path : address.url.href;
};

test.each([
  ['a/b.jpg', undefined, 'a/b.jpg'],
  ['a%20b.jpg', '/test/', 'test/a b.jpg'],
  ['a.jpg', '//x//y', 'x/y/a.jpg'],
  ['a.jpg', '../..', undefined],
  ['../a.jpg', '/test', undefined],
  ['..%2f..%2fa', '/test', undefined],
  ['', '/test', undefined],
])('the path %j below %j is %j', (encoded, base, path) => {
  expect(shown(encoded, base)).toBe(path);
});

test.each([
  ['https://host/a.jpg', 'https://host/a.jpg'],
  ['https:/host/a.jpg', 'https://host/a.jpg'],
  ['HTTP:///host/a%20b.jpg', 'http://host/a%20b.jpg'],
  ['https://host:8443/a/../b', 'https://host:8443/b'],
  ['https://', undefined],
  ['https:////host/a', undefined],
  ['http://[::1/a', undefined],
])('the path %j is the URL %j', (encoded, url) => {
  expect(shown(encoded, '/ignored')).toBe(url);
});

test('a recipe may have the URL of a folder, which a path never leaves', () => {
  expect(shown('a b/%23c.jpg'.replace(' ', '%20'), 'https://host/base/')).toBe(
    'https://host/base/a%20b/%23c.jpg',
  );
  expect(shown('../c.jpg', 'https://host/base')).toBeUndefined();
  expect(shown('%2e%2e/c.jpg', 'https://host/base')).toBeUndefined();
});
