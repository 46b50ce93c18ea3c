import { expect, test } from 'vitest';
import { booleanField } from '../../../../src/collections/model/fields/plain-types.ts';

test('a Boolean field accepts true and false only', () => {
  expect(booleanField.check(true)).toBeUndefined();
  expect(booleanField.check(false)).toBeUndefined();
  for (const value of ['true', 0, 1, [true], {}]) {
    expect(booleanField.check(value)?.message).toBe('is wrong type');
  }
});

test.each([
  ['true', true],
  ['false', false],
  [true, true],
  ['TRUE', undefined],
  ['', undefined],
  [1, undefined],
  [[true], undefined],
])('an operand %j of a Boolean field becomes %j', (operand, coerced) => {
  expect(booleanField.readOperand(operand)).toBe(coerced);
});
