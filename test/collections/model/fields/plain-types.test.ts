import { expect, test } from 'vitest';
import {
  booleanField,
  mixedField,
  numberField,
  objectField,
  stringField,
} from '../../../../src/collections/model/fields/plain-types.ts';

test.each([['text'], [''], ['\0'], [['a', 'b']], [[]]])('a String field accepts %j', (value) => {
  expect(stringField.check(value)).toBeUndefined();
});

test.each([[1], [true], [{}], [['a', 1]], [['a', null]], [[['a']]]])('a String field rejects %j', (value) => {
  expect(stringField.check(value)).toEqual({ message: 'is wrong type', code: 'ERROR_VALUE_INVALID' });
});

test('text that looks like a number or an id stays text in filters', () => {
  expect(stringField.readOperand('10')).toBe('10');
  expect(stringField.readOperand('ABCDEFABCDEFABCDEFABCDEF')).toBe('ABCDEFABCDEFABCDEFABCDEF');
  expect(stringField.supportsCaseInsensitive).toBe(true);
});

test('numbers and booleans in filters are read as text', () => {
  expect([1984, -0.5, true].map(stringField.readOperand)).toEqual(['1984', '-0.5', 'true']);
  expect(stringField.readOperand(['a', 5])).toEqual(['a', '5']);
  for (const operand of [{ a: 1 }, [{}], [null]]) expect(stringField.readOperand(operand)).toBeUndefined();
});

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

test('an Object field accepts objects and lists', () => {
  expect(objectField.check({ a: 1 })).toBeUndefined();
  expect(objectField.check([{ a: 1 }, 2])).toBeUndefined();
});

test.each([['a'], [1], [true]])('an Object field rejects %j', (value) => {
  expect(objectField.check(value)?.message).toBe('is wrong type');
});

test.each([['a'], [1], [false], [{ a: [1] }], [[1, 'a', null]]])(
  'a Mixed field accepts %j and keeps it',
  (value) => {
    expect(mixedField.check(value)).toBeUndefined();
    expect(mixedField.normalise(value)).toBe(value);
    expect(mixedField.readOperand(value)).toBe(value);
  },
);
