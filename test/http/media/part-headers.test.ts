import { describe, expect, it } from 'vitest';
import { parsePartHeaders } from '../../../src/http/media/part-headers.ts';

const disposition = (parameters: string) =>
  `\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; ${parameters}`;
const fileNameOf = (parameters: string) => parsePartHeaders(disposition(parameters))?.fileName;
const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('the extended name of a file', () => {
  it.each([
    [`name="f"; filename="a.txt"; filename*=UTF-8''na%C3%AFve.txt`, 'naïve.txt'],
    [`name="f"; filename*=utf-8'en'a%20b.txt; filename="a.txt"`, 'a b.txt'],
    [`filename*=iso-8859-1''%A3.txt`, '£.txt'],
    [`filename* = UTF-8''..%2Fx%0D%0A`, '../x\r\n'],
  ])('in %j is %j', (parameters, name) => {
    expect(fileNameOf(parameters)).toBe(name);
  });

  it.each([
    ['name="f"; filename="a.txt"', 'a.txt'],
    [`filename*=UTF-8''`, undefined],
    [`filename="a.txt"; filename*=UTF-8''%ff%fe`, 'a.txt'],
    [`filename*=klingon''a.txt; filename="b.txt"`, 'b.txt'],
    ['filename*=a.txt', undefined],
    [`name="a; filename*=UTF-8''b.txt"`, undefined],
    [`name="a\\"; filename*=UTF-8''b.txt"`, undefined],
  ])('in %j cannot be read, and the plain one is %j', (parameters, name) => {
    expect(fileNameOf(parameters)).toBe(name);
  });

  it('is in no other header', () => {
    expect(parsePartHeaders(`\r\nX-Content-Disposition: form-data; filename*=UTF-8''b.txt`)).toBeUndefined();
  });
});

describe('the headers of a part', () => {
  it.each([
    ['name="a"; filename="b c.txt"', 'a', 'b c.txt'],
    ['name=a; filename=b.txt', 'a', 'b.txt'],
    ['NAME = "a" ; FileName = "b"', 'a', 'b'],
    ['name="a"; filename=""', 'a', ''],
    ['name=""', '', undefined],
    ['filename="b;c=d"; name="a"', 'a', 'b;c=d'],
    [String.raw`name="a"; filename="b\"c\\d\e"`, 'a', String.raw`b"c\d\e`],
    [String.raw`name="a"; filename="C:\photos\b.png"`, 'a', String.raw`C:\photos\b.png`],
    [utf8('name="é"; filename="ü.png"'), 'é', 'ü.png'],
    ['name="a"; filename="unfinished', 'a', '"unfinished'],
    ['name="a" junk; filename="b" junk', 'a', 'b'],
    ['name="a"; name="b"', 'b', undefined],
    ['name', undefined, undefined],
    ['=a; name=b', 'b', undefined],
  ])('%s', (parameters, name, fileName) => {
    expect(parsePartHeaders(disposition(parameters))).toEqual({ name, fileName, mimetype: 'text/plain' });
  });

  it.each([
    ['Content-Type: image/PNG', 'image/png'],
    ['content-type:image/png ; charset=x', 'image/png'],
    ['Content-Type: image/png\r\nContent-Type: text/html', 'image/png'],
    ['Content-Type:', undefined],
    ['X: y', undefined],
  ])('%j tells the type %j', (header, mimetype) => {
    expect(parsePartHeaders(`\r\n${header}\r\nContent-Disposition: form-data; name=a`)?.mimetype).toBe(
      mimetype,
    );
  });

  it('may be folded, and follow spaces behind the boundary', () => {
    expect(
      parsePartHeaders(' \t\r\nContent-Disposition: form-data;\r\n name=a;\r\n\tfilename=b')?.fileName,
    ).toBe('b');
  });

  it.each([
    '',
    '\r\n',
    '\r\nContent-Type: text/plain',
    '\r\nContent-Disposition: attachment; filename=x',
    '\r\nContent-Disposition: form-data2; name=x',
    'x\r\nContent-Disposition: form-data; name=a',
    '\r\nContent-Disposition: form-data; name=a\r\nno colon',
    '\r\n: x\r\nContent-Disposition: form-data; name=a',
    '\r\nContent-Disposition: form-data; name="a\nb"',
    '\r\nContent-Disposition: form-data; name=a\rb',
  ])('%j are not those of form data', (text) => {
    expect(parsePartHeaders(text)).toBeUndefined();
  });

  it.each(['; a=', '; a', ';a="\\', '; ="', ';;', '; a = "b\\"'])(
    'take time in proportion to their length, also %j again and again',
    (piece) => {
      const from = process.cpuUsage();
      parsePartHeaders(disposition(piece.repeat(16_000 / piece.length)));
      expect(process.cpuUsage(from).user).toBeLessThan(1_000_000);
    },
  );
});
