import { expect, test } from 'vitest';
import { parseFilePath } from '../../../src/http/media/file-downloads.ts';

test.each([
  ['photo.jpg', 'photo.jpg'],
  ['2026/11/22/photo.jpg', '2026/11/22/photo.jpg'],
  ['2026/11/22/photo.jpg/', '2026/11/22/photo.jpg'],
  ['a%20b%26c.png', 'a b&c.png'],
  ['%C3%BCn%C3%AF.jpg', 'ünï.jpg'],
  ['u%CC%88.jpg', 'ü.jpg'],
  ['100%25.txt', '100%.txt'],
  ['%252e%252e/x', '%2e%2e/x'],
  ['...', '...'],
])('%s is the file %s', (path, file) => {
  expect(parseFilePath(`/1.0/library/images/${path}`)).toBe(file);
  expect(parseFilePath(`http://host:1/1.0/library/images/${path}`)).toBe(file);
});

test.each([
  ...[
    '',
    '.',
    '..',
    '../x',
    'a/../b',
    'a//b',
    '%2e%2e/x',
    '..%2fx',
    'a%2Fb',
    'a%5Cb',
    'a\\b',
    'a%00b',
    '%0a',
    '%7f',
  ],
  ...['%', '%zz', '%ff', '%c0%ae', `${'a/'.repeat(40)}b`],
])('%s is no file', (path) => {
  expect(() => parseFilePath(`/1.0/library/images/${path}`)).toThrow(
    expect.objectContaining({ code: 'NOT_FOUND' }),
  );
});
