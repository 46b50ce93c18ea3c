import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import { EMPTY_ARRAY } from '../../../src/stores/matching/paths.ts';
import { compareDocuments, compareIndexValues, createSorter } from '../../../src/stores/matching/sorter.ts';
import type { Sort } from '../../../src/stores/ports.ts';

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
