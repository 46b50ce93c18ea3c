import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json/json.ts';
import { somePathValue } from '../../../src/stores/matching/path-search.ts';
import { parsePath } from '../../../src/stores/matching/paths.ts';

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
