import { expect, test } from 'vitest';
import { OutOfReachError } from '../../../src/workers/images/image-bytes.ts';
import { readSvg } from '../../../src/workers/images/svg.ts';

const read = (text: string) => readSvg(Buffer.from(text));
const root = (attributes: string) => read(`<svg xmlns="http://www.w3.org/2000/svg" ${attributes}></svg>`);

test.each([
  ['width="40" height="30"', 40, 30],
  ["height = '30px'\n width='40.4px'", 40, 30],
  ['width="1in" height="2.54cm"', 96, 96],
  ['width="72pt" height="6pc"', 96, 96],
  ['width="1e2" height="+.5E2"', 100, 50],
  ['width="25.4mm" height="40Q"', 96, 38],
  ['viewBox="0 0 40 30"', 40, 30],
  ['viewBox=" -5,-5 , 40,30 "', 40, 30],
  ['width="100%" height="100%" viewBox="0 0 40 30"', 40, 30],
  ['width="80" viewBox="0 0 40 30"', 80, 60],
  ['height="60" width="auto" viewBox="0 0 40 30"', 80, 60],
  ['data-width="1" width="40" height="30" width="7"', 40, 30],
])('a root with %s has its dimensions', (attributes, width, height) => {
  expect(root(attributes)).toEqual({ width, height });
});

test.each([
  'width="40"',
  'width="100%" height="100%"',
  'width="-40" height="30"',
  'width="&w;" height="30"',
  'width="40;" height="30"',
  'viewBox="0 0 0 30"',
  'viewBox="0 0 40 30 50"',
])('a root with %s has no dimensions', (attributes) => {
  expect(root(attributes)).toBeUndefined();
});

test('a declaration, comments and a document type may stand before the root', () => {
  const before = '<?xml version="1.0"?>\n<!-- <svg width="1" height="1"> -->\n';
  const type = '<!DOCTYPE svg [ <!ENTITY a "aaaa"> <!ENTITY b "&a;&a;&a;"> ]>\n';
  expect(read(`${before}${type}<svg width="40" height="30"><script>alert(1)</script></svg>`)).toEqual({
    width: 40,
    height: 30,
  });
  expect(read('<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x"><svg:svg width="4" height="3"/>')).toEqual({
    width: 4,
    height: 3,
  });
});

test('UTF-16 and a byte order mark are understood', () => {
  const text = '\ufeff<svg width="40" height="30"/>';
  const little = Buffer.from(text, 'utf16le');
  expect(readSvg(little)).toEqual({ width: 40, height: 30 });
  expect(readSvg(Buffer.from(little).swap16())).toEqual({ width: 40, height: 30 });
  expect(read(text)).toEqual({ width: 40, height: 30 });
});

test('an SVG inside another document is none', () => {
  expect(read('<html><svg width="40" height="30"></svg></html>')).toBeUndefined();
  expect(read('text <svg width="40" height="30"></svg>')).toBeUndefined();
  expect(read('<svgs width="40" height="30"/>')).toBeUndefined();
});

test.each([
  ['attributes without a value', `<svg ${'a '.repeat(200_000)}`],
  ['spaces', `<svg${' '.repeat(250_000)}`],
  ['attributes', `<svg ${'a="" '.repeat(40_000)}/>`],
  ['roots', '<svg '.repeat(100_000)],
  ['comments', '<!-- '.repeat(100_000)],
  ['closing brackets', `<!DOCTYPE svg [${']  '.repeat(100_000)}`],
  ['a view box of spaces', `<svg viewBox="0${' '.repeat(250_000)}x"/>`],
  ['digits', `<svg width="${'1'.repeat(250_000)}" height="1"/>`],
])('a file full of %s is read in linear time', (_, text) => {
  const begun = process.cpuUsage().user;
  const outcome = () => read(text);
  if (text.endsWith('/>')) expect(outcome()).toBeUndefined();
  else expect(outcome).toThrow(OutOfReachError);
  // Quadratic time would be minutes.
  expect(process.cpuUsage().user - begun).toBeLessThan(2_000_000);
});
