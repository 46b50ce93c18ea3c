// The single-value side of the operators; how paths and arrays feed them is the business of match.test.ts.
import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.ts';
import {
  equalTo,
  foldedTo,
  matching,
  oneOf,
  ordered,
  typedAs,
} from '../../../src/stores/matching/value-tests.ts';

const VALUES: readonly (Json | undefined)[] = [
  undefined,
  null,
  0,
  1,
  'a',
  'A',
  {},
  { a: 1 },
  [],
  [1],
  true,
  false,
];

const passing = (accepts: (value: Json | undefined) => boolean) => VALUES.filter(accepts);

test('equality', () => {
  expect(passing(equalTo(null))).toEqual([undefined, null]);
  expect(passing(equalTo(-0))).toEqual([0]);
  expect(passing(equalTo({ a: 1 }))).toEqual([{ a: 1 }]);
  expect(passing(foldedTo('A'))).toEqual(['a', 'A']);
  expect(passing(foldedTo(1))).toEqual([1]);
  expect(passing(foldedTo(null))).toEqual([undefined, null]);
});

test('membership', () => {
  expect(passing(oneOf([]))).toEqual([]);
  expect(passing(oneOf([null, 'a']))).toEqual([undefined, null, 'a']);
  expect(passing(oneOf([[1], 'a', {}, [], { a: 1 }, 0, false]))).toEqual([
    0,
    'a',
    {},
    { a: 1 },
    [],
    [1],
    false,
  ]);
});

test('order within a type', () => {
  expect(passing(ordered('gt', 0))).toEqual([1]);
  expect(passing(ordered('lte', 'a'))).toEqual(['a', 'A']);
  expect(passing(ordered('gte', null))).toEqual([undefined, null]);
  expect(passing(ordered('lt', null))).toEqual([]);
  expect(passing(ordered('gte', {}))).toEqual([{}, { a: 1 }]);
  expect(passing(ordered('lt', [1]))).toEqual([[]]);
  expect(passing(ordered('lt', true))).toEqual([false]);
});

test('types and patterns', () => {
  expect(passing(typedAs(['null', 'array']))).toEqual([null, [], [1]]);
  expect(passing(typedAs(['object', 'bool']))).toEqual([{}, { a: 1 }, true, false]);
  expect(passing(typedAs(['number', 'string']))).toEqual([0, 1, 'a', 'A']);
  expect(passing(matching('a', ''))).toEqual(['a']);
  expect(passing(matching('a', 'i'))).toEqual(['a', 'A']);
});
