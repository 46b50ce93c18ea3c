import { expect, test } from 'vitest';
import { stringField } from '../../../../src/collections/model/fields/plain-types.ts';

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
