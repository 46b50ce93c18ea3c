import { expect, test } from 'vitest';
import { numberField } from '../../../../src/collections/model/fields/plain-types.ts';

test.each([[0], [-1.5], [1e300]])('a Number field accepts %j', (value) => {
  expect(numberField.check(value)).toBeUndefined();
});

test.each([['1'], [true], [[1]], [{}], [Number.NaN], [Number.POSITIVE_INFINITY]])(
  'a Number field rejects %j',
  (value) => {
    expect(numberField.check(value)?.message).toBe('is wrong type');
  },
);

test.each([
  ['10', 10],
  ['-1.5e3', -1500],
  [10, 10],
  ['ten', undefined],
  ['', undefined],
  [' 1', undefined],
  ['1,000', undefined],
  ['0x10', undefined],
  ['1e999', undefined],
  ['9007199254740993', undefined],
  ['Infinity', undefined],
  [true, undefined],
  [[1], undefined],
])('an operand %j of a Number field becomes %j', (operand, coerced) => {
  expect(numberField.readOperand(operand)).toBe(coerced);
});
