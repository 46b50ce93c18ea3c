import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json/json.ts';
import { compareText, compareValues, equalValues, typeRank } from '../../../src/stores/matching/compare.ts';

const ASCENDING: readonly Json[] = [
  null,
  -1e308,
  -1,
  0,
  0.5,
  1e308,
  '',
  '\0',
  'A',
  'a',
  'a\0',
  'aa',
  'é',
  '\ud7ff',
  '\uffee',
  '\u{1f600}',
  {},
  { b: null },
  { a: 1 },
  { a: 1, b: 1 },
  { a: 1, c: 1 },
  { a: 2 },
  { b: 1 },
  { a: '' },
  { a: [] },
  [],
  [null],
  [1],
  [1, 2],
  [1, 3],
  [2],
  ['a'],
  [[]],
  false,
  true,
];

test('values sort in the order of MongoDB', () => {
  const shuffled = [...ASCENDING].map((value, at) => [(at * 7919) % ASCENDING.length, value] as const);
  const sorted = shuffled
    .sort((a, b) => a[0] - b[0])
    .map(([, value]) => value)
    .sort(compareValues);
  expect(sorted).toEqual(ASCENDING);
});

test('each value equals only itself', () => {
  for (const [at, a] of ASCENDING.entries()) {
    for (const [index, b] of ASCENDING.entries())
      expect(equalValues(a, structuredClone(b))).toBe(at === index);
  }
});

test('zeros are equal, and missing equals null', () => {
  expect(equalValues(0, -0)).toBe(true);
  expect(equalValues([-0], [0])).toBe(true);
  expect(compareValues(undefined, null)).toBe(0);
  expect(compareValues(undefined, 0)).toBeLessThan(0);
  expect(typeRank(undefined)).toBe(typeRank(null));
});

test('the order of keys counts', () => {
  expect(equalValues({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(false);
});

test('a key named __proto__ is a key like any other', () => {
  const [a, b] = [1, 2].map((value) => JSON.parse(`{"__proto__":${value}}`) as Json);
  expect(compareValues(a, b)).toBeLessThan(0);
});

test('text sorts by code point, also after a common prefix', () => {
  expect(compareText('x\uffee', 'x\u{10000}')).toBeLessThan(0);
  expect(compareText('\u{10000}', '\u{10001}')).toBeLessThan(0);
  expect(compareText('\u{1f600}', '\u{1f600}a')).toBeLessThan(0);
});
