import { expect, test } from 'vitest';
import { StoreError } from '../../../src/errors/errors.ts';
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import {
  createFieldReader,
  EMPTY_ARRAY,
  expandRows,
  type IndexValue,
  parsePath,
  readField,
  somePathValue,
} from '../../../src/stores/matching/paths.ts';

type Row = readonly [path: string, document: JsonObject, values: readonly IndexValue[], array: boolean];

const rows: Row[] = [
  ['a', { a: 1 }, [1], false],
  ['a', { a: null }, [null], false],
  ['a', { b: 1 }, [undefined], false],
  ['a', { a: { b: 1 } }, [{ b: 1 }], false],
  ['a', { a: [1, 2] }, [1, 2], true],
  ['a', { a: [] }, [EMPTY_ARRAY], true],
  ['a', { a: [[]] }, [[]], true],
  ['a', { a: [[1, 2], 3] }, [[1, 2], 3], true],
  ['a.b', { a: { b: 1 } }, [1], false],
  ['a.b', { a: 1 }, [undefined], false],
  ['a.b', { a: [] }, [undefined], true],
  ['a.b', { a: [1, 2] }, [undefined, undefined], true],
  ['a.b', { a: [{ b: 1 }, { c: 2 }, 3] }, [1, undefined, undefined], true],
  ['a.b', { a: [{ b: [1, 2] }, { b: [] }] }, [1, 2, EMPTY_ARRAY], true],
  ['a.b', { a: [[{ b: 1 }]] }, [undefined], true],
  ['a.b.c', { a: [{ b: [{ c: 1 }, { c: 2 }] }] }, [1, 2], true],
  ['a.0', { a: [1, 2] }, [1], true],
  ['a.0', { a: [[1, 2]] }, [[1, 2]], true],
  ['a.0', { a: [[]] }, [EMPTY_ARRAY], true],
  ['a.0', { a: { 0: 1 } }, [1], false],
  ['a.0.0', { a: [[1]] }, [1], true],
  ['a.0.0', { a: [[]] }, [undefined], true],
  ['a.0.0', { a: [] }, [undefined], true],
  ['a.0.b', { a: [{ b: 1 }, { b: 2 }] }, [1], true],
  ['a.0.b', { a: [5] }, [undefined], true],
  ['a.1', { a: [{ 1: 'x' }] }, ['x'], true],
  ['constructor', {}, [undefined], false],
  ['a.length', { a: 'text' }, [undefined], false],
];

test.each(rows)('an index on %s keeps of %j what MongoDB keeps', (path, document, values, array) => {
  const kept = expandRows(document, [parsePath(path)]);
  expect({ values: kept.rows.map(([value]) => value), arrays: kept.arrays }).toEqual({
    values,
    arrays: [array],
  });
});

const rowsOf = (document: JsonObject, ...paths: string[]) => expandRows(document, paths.map(parsePath));

test('paths into one array are taken element by element together', () => {
  expect(rowsOf({ a: [{ b: 1 }, { c: 2 }], d: 9 }, 'a.b', 'a.c', 'd')).toEqual({
    rows: [
      [1, undefined, 9],
      [undefined, 2, 9],
    ],
    arrays: [true, true, false],
  });
  expect(rowsOf({ a: [] }, 'a', 'a.b').rows).toEqual([[EMPTY_ARRAY, undefined]]);
  expect(rowsOf({ a: [{ b: [] }] }, 'a', 'a.b').rows).toEqual([[{ b: [] }, EMPTY_ARRAY]]);
});

test.each([
  [{ a: [1], b: [2] }, ['a', 'b'], ['a', 'b']],
  [{ a: [], b: [] }, ['a', 'c', 'b'], ['a', 'b']],
  [{ a: [{ b: [1], c: [2] }] }, ['a.b', 'a.c'], ['a.b', 'a.c']],
])('two arrays in %j cannot be kept in one index', (document, paths, fields) => {
  expect(() => rowsOf(document, ...paths)).toThrow(StoreError);
  expect(() => rowsOf(document, ...paths)).toThrow(
    expect.objectContaining({ reason: 'parallel-arrays', fields }),
  );
});

test('a part is a position only in its canonical form', () => {
  expect(parsePath('a.0.01.-1.10').map((part) => part.position)).toEqual([-1, 0, -1, -1, 10]);
});

test.each(['a', '0', 'toString', '__proto__', 'length'])('reading %s finds own fields only', (name) => {
  const [part] = parsePath(name);
  const own = JSON.parse(`{"${name}":7}`) as JsonObject;
  for (const read of [createFieldReader(part!), (from: JsonObject) => readField(from, part!)]) {
    expect(read({})).toBeUndefined();
    expect(read(own)).toBe(7);
  }
  expect(createFieldReader(part!)(['x'])).toBe(name === '0' ? 'x' : undefined);
});

function visited(path: string, document: Json, expand = true): (Json | undefined)[] {
  const seen: (Json | undefined)[] = [];
  const test = (value: Json | undefined): boolean => {
    seen.push(value);
    return false;
  };
  expect(somePathValue(document as Json[], parsePath(path), { test, expand })).toBe(false);
  return seen;
}

test('fields, elements and positions are visited, each as MongoDB does', () => {
  const document = { a: [{ b: 5 }, 3, {}, { b: [9, 11] }, { b: 7 }] };
  expect(visited('a.b', document)).toEqual([5, undefined, 9, 11, [9, 11], 7]);
  expect(visited('a.b', document, false)).toEqual([5, undefined, [9, 11], 7]);
  expect(visited('a.b', { a: [4] })).toEqual([]);
  expect(visited('a.b', { a: 4 })).toEqual([undefined]);
  expect(visited('a.1', { a: [5, [2, 4], 3] })).toEqual([[2, 4]]);
  expect(visited('a.1', { a: [5, { 1: 4 }, 3] })).toEqual([4, { 1: 4 }]);
  expect(visited('a.0.b', { a: [{ b: [2, 3] }, { b: 1 }] })).toEqual([undefined, undefined, 2, 3, [2, 3]]);
});

test('a root that is an array counts as an object with positions for keys', () => {
  expect(visited('0', [5, 6])).toEqual([5]);
  expect(visited('b', [{ b: 5 }])).toEqual([undefined]);
  expect(visited('0.b', [{ b: 5 }])).toEqual([5]);
});

test('a path and a document made to branch at every step take no longer than their size', () => {
  let document: Json = { 0: 'end' };
  for (let depth = 0; depth < 49; depth += 1) document = { 0: [document] };
  const path = Array.from({ length: 60 }, () => '0').join('.');
  expect(visited(path, document).length).toBeLessThan(5000);
});
