import { expect, test } from 'vitest';
import { parseQualityList } from '../../../src/lib/http/quality-list.ts';

const parse = (header: string, allowsParameters = false) =>
  parseQualityList(header, { allowsParameters }).map(({ value, quality }) => [value, quality]);

test.each([
  ['gzip', [['gzip', 1]]],
  [
    'GZIP;q=0.5, Br',
    [
      ['gzip', 0.5],
      ['br', 1],
    ],
  ],
  ['  en ;\tq=0.25 ', [['en', 0.25]]],
  ['en;Q=0.001', [['en', 0.001]]],
  ['*;q=0', [['*', 0]]],
  ['en;q=1.', [['en', 1]]],
  ['en;q=0.', [['en', 0]]],
  ['', []],
  [' , ,', []],
])('the header %j is the list %j', (header, members) => {
  expect(parse(header)).toEqual(members);
});

test.each([
  ...['en;q=1.5', 'en;q=-1', 'en;q=0.1234', 'en;q=1.001', 'en;q=high', 'en;q=', 'en;', 'en;q'],
  ...['en; q = 0.5', 'en;q =0.5', 'en;q= 0.5', 'en;level=1', 'en;q=0.5;q=1', 'en;level=1;q=0.5'],
])('the weight of %j is malformed', (header) => {
  expect(parse(header)).toEqual([['en', undefined]]);
});

test.each([
  ['image/avif;level=1;q=0.3', 0.3],
  ['image/avif;level=1', 1],
  ['image/avif;', 1],
  ['image/avif;q=0.3;level=1', 0.3],
  ['image/avif;q=x;q=1', undefined],
  ['image/avif;q = 0.3', undefined],
])('a media range may have parameters beside its weight: %j has %j', (header, quality) => {
  expect(parse(header, true)).toEqual([['image/avif', quality]]);
});

test('a long header is cut', () => {
  expect(parse('en,'.repeat(100_000)).length).toBe(100);
  expect(parse(`${' '.repeat(100_000)},fr`)).toEqual([]);
});
