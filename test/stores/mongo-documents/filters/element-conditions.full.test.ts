import { expect, it } from 'vitest';
import type { FilterTest } from '../../../../src/stores/filter.ts';
import {
  anyElement,
  elementOperators,
  isArraySize,
} from '../../../../src/stores/mongo-documents/filters/element-conditions.ts';

const options = {
  context: { root: false },
  translate: () => ({ query: { b: 1 }, exact: true }),
};
const say = (...tests: FilterTest[]) => elementOperators(tests, options);

it('element tests become operators of one $elemMatch', () => {
  const found = say({ kind: 'gte', value: 1 }, { kind: 'lt', value: 5 }, { kind: 'ne', value: 3 });
  expect(found).toEqual({ operators: { $gte: 1, $lt: 5, $not: { $in: [3] } }, exact: true });
});

it('an operator that is needed twice makes the translation inexact', () => {
  expect(say({ kind: 'gt', value: 1 }, { kind: 'gt', value: 2 })).toEqual({
    operators: { $gt: 1 },
    exact: false,
  });
});

it('tests that all or no elements pass are recognized', () => {
  expect(say({ kind: 'exists', value: true })).toEqual({ operators: {}, exact: true });
  for (const test of [
    { kind: 'exists', value: false },
    { kind: 'in', values: [] },
    { kind: 'all', values: [] },
    { kind: 'size', value: 2 ** 40 },
    { kind: 'not', tests: [] },
    { kind: 'eq', value: { 'x\0': 1 } },
  ] satisfies FilterTest[]) {
    expect(say(test)).toEqual({ operators: undefined, exact: true });
  }
  expect(anyElement({})).toEqual({ $exists: true });
  expect([0, 5, 2 ** 31 - 1].every(isArraySize) && ![-1, 1.5, 2 ** 31].some(isArraySize)).toBe(true);
});

it('objects that look like operators are untranslatable in a list, but not alone', () => {
  expect(say({ kind: 'in', values: [1, { $x: 1 }] })).toEqual({ operators: {}, exact: false });
  expect(say({ kind: 'eq', value: { $x: 1 } })).toEqual({ operators: { $eq: { $x: 1 } }, exact: true });
});

it('nested element tests are translated', () => {
  const inner: FilterTest = { kind: 'elemMatchValue', tests: [{ kind: 'type', names: ['bool'] }] };
  expect(say(inner).operators).toEqual({ $elemMatch: { $type: ['bool'] } });
  const object: FilterTest = { kind: 'elemMatch', filter: { kind: 'and', filters: [] } };
  expect(say(object).operators).toEqual({ $elemMatch: { $and: [{ b: 1 }] } });
});
