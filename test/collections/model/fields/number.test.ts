import { expect, test } from 'vitest';
import { numberField } from '../../../../src/collections/model/fields/number.ts';

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
  ['ten', 'ten'],
  ['', ''],
  [' 1', ' 1'],
  ['0x10', '0x10'],
  ['1e999', '1e999'],
  ['Infinity', 'Infinity'],
  [true, true],
])('an operand %j of a Number field becomes %j', (operand, coerced) => {
  expect(numberField.coerceOperand(operand)).toBe(coerced);
});
