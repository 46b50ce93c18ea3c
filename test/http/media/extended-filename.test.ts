import { expect, it } from 'vitest';
import { parseExtendedFilename } from '../../../src/http/media/multipart-form.ts';

const named = (parameters: string) =>
  `\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; ${parameters}`;

it.each([
  [`name="f"; filename="a.txt"; filename*=UTF-8''na%C3%AFve.txt`, 'naïve.txt'],
  [`name="f"; filename*=utf-8'en'a%20b.txt; filename="a.txt"`, 'a b.txt'],
  [`filename*=iso-8859-1''%A3.txt`, '£.txt'],
  [`filename* = UTF-8''..%2Fx%0D%0A`, '../x\r\n'],
])('the extended name in %j is %j', (parameters, name) => {
  expect(parseExtendedFilename(named(parameters))).toBe(name);
});

it.each([
  'name="f"; filename="a.txt"',
  `filename*=UTF-8''`,
  `filename*=UTF-8''%ff%fe`,
  `filename*=klingon''a.txt`,
  'filename*=a.txt',
  `name="a; filename*=UTF-8''b.txt"`,
  `name="a\\"; filename*=UTF-8''b.txt"`,
])('%j has no extended name that can be read', (parameters) => {
  expect(parseExtendedFilename(named(parameters))).toBeUndefined();
});

it('no other header has an extended name', () => {
  expect(
    parseExtendedFilename(`\r\nX-Content-Disposition: form-data; filename*=UTF-8''b.txt`),
  ).toBeUndefined();
});
