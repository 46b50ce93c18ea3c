import { expect, test } from 'vitest';
import { decodeOriginalPath, isOriginalPath } from '../../../src/delivery/sources/original-path.ts';

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
