import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import {
  compareIndexValues,
  compareText,
  compareValues,
  createSorter,
  equalValues,
  typeRank,
} from '../../../src/stores/matching/compare.ts';
import { EMPTY_ARRAY } from '../../../src/stores/matching/paths.ts';
import type { Sort } from '../../../src/stores/ports.ts';
import { compareDocuments } from '../../helpers/store/compare-documents.ts';

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

function order(sort: Sort, ...documents: readonly JsonObject[]): string {
  const all = documents.map((document, at) => ({ _id: String.fromCharCode(97 + at), ...document }));
  return [...all]
    .reverse()
    .sort(compareDocuments(sort))
    .map((document) => document._id)
    .join('');
}

describe('documents', () => {
  test('documents without a sort are ordered by id', () => {
    expect(order([], {}, {}, {})).toBe('abc');
  });

  test('ids break ties in the direction of the last key', () => {
    expect(order([['x', 1]], { x: 1 }, { x: 1 }, { x: 0 })).toBe('cab');
    expect(order([['x', -1]], { x: 1 }, { x: 1 }, { x: 0 })).toBe('bac');
    const rows = [
      { x: 1, y: 1 },
      { x: 1, y: 1 },
      { x: 0, y: 2 },
    ];
    expect(
      order(
        [
          ['x', 1],
          ['y', -1],
        ],
        ...rows,
      ),
    ).toBe('cba');
  });

  test('types are ordered, missing equals null, an array sorts by its element', () => {
    const rows = [{ x: true }, { x: [2] }, { x: {} }, { x: 'a' }, { x: 9 }, { x: null }, {}];
    expect(order([['x', 1]], ...rows)).toBe('fgbedca');
  });

  test('an array sorts by its smallest element ascending, its largest descending', () => {
    const rows = [{ x: [9, 2] }, { x: 1 }, { x: 5 }, { x: [] }, {}];
    expect(order([['x', 1]], ...rows)).toBe('debac');
    expect(order([['x', -1]], ...rows)).toBe('acbed');
  });

  test('paths go through arrays', () => {
    expect(order([['a.b', 1]], { a: [{ b: 3 }, { b: 1 }] }, { a: { b: 2 } }, { a: [5] })).toBe('cab');
    expect(order([['a.1', 1]], { a: [0, 3] }, { a: [9, 1] })).toBe('ba');
  });

  test('two paths into one array are compared element by element', () => {
    const rows = [
      {
        a: [
          { b: 1, c: 9 },
          { b: 2, c: 0 },
        ],
      },
      { a: [{ b: 1, c: 5 }] },
    ];
    expect(
      order(
        [
          ['a.b', 1],
          ['a.c', 1],
        ],
        ...rows,
      ),
    ).toBe('ba');
    expect(
      order(
        [
          ['a.b', -1],
          ['a.c', -1],
        ],
        ...rows,
      ),
    ).toBe('ab');
  });

  test('two arrays in one document cannot be sorted by', () => {
    const sorter = createSorter([
      ['a', 1],
      ['b', 1],
    ]);
    expect(() => sorter.keyOf({ a: [1], b: [2] })).toThrow(StoreError);
    expect(sorter.keyOf({ a: [1], b: 2 }).values).toEqual([1, 2]);
  });
});

test('an empty array sorts below everything', () => {
  const below: readonly (Json | undefined)[] = [undefined, null, 0, []];
  for (const value of below) {
    expect(compareIndexValues(EMPTY_ARRAY, value)).toBeLessThan(0);
    expect(compareIndexValues(value, EMPTY_ARRAY)).toBeGreaterThan(0);
  }
  expect(compareIndexValues(EMPTY_ARRAY, EMPTY_ARRAY)).toBe(0);
});

test('the order is total: sorting twice, or from any start, gives the same', () => {
  const value = fc.constantFrom<Json>(null, 0, 1, 'a', [], [1, 'a'], [[]], {}, true);
  const documents = fc.uniqueArray(
    fc.record({ _id: fc.nat(50).map(String), x: value, y: fc.constantFrom<Json>(0, 1) }),
    { selector: (document) => document._id, maxLength: 8 },
  );
  const sorts = fc.constantFrom<Sort>(
    [],
    [['x', 1]],
    [['x', -1]],
    [
      ['y', 1],
      ['x', -1],
    ],
  );
  fc.assert(
    fc.property(documents, sorts, (list, sort) => {
      const compare = compareDocuments(sort);
      expect([...list].sort(compare)).toEqual([...list].reverse().sort(compare));
    }),
  );
});
