import { expect, test } from 'vitest';
import { dateTimeField } from '../../../src/collections/fields/date-time.ts';

test.each([
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T12:30', '2024-02-29T12:30:00.000Z'],
  ['2024-02-29T12:30:15.5', '2024-02-29T12:30:15.500Z'],
  ['2024-02-29T12:30:15.123456789Z', '2024-02-29T12:30:15.123Z'],
  ['2024-02-29T23:30:00-02:00', '2024-03-01T01:30:00.000Z'],
  ['+012024-01-01', '+012024-01-01T00:00:00.000Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
])('%s is stored as %s', (text, stored) => {
  expect(dateTimeField.check(text)).toBeUndefined();
  expect(dateTimeField.normalise(text)).toBe(stored);
  expect(dateTimeField.normalise(stored)).toBe(stored);
  expect(dateTimeField.coerceOperand(text)).toBe(stored);
});

test.each([
  ['2023-02-29'],
  ['2024-13-01'],
  ['2024-01-01T25:00'],
  ['2024-01-01 10:00'],
  ['2024-1-1'],
  ['1 May 2024'],
  ['-000000-01-01'],
  ['+999999-01-01'],
  [''],
])('%j is no date', (text) => {
  expect(dateTimeField.check(text)?.message).toBe('is not a valid DateTime');
  expect(dateTimeField.coerceOperand(text)).toBe(text);
});

test('other types are refused', () => {
  for (const value of [1700000000000, ['2024-01-01'], {}, true]) {
    expect(dateTimeField.check(value)?.message).toBe('is not a valid DateTime');
  }
});

test('operands may be epoch milliseconds', () => {
  expect(dateTimeField.coerceOperand(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(dateTimeField.coerceOperand(-1.5)).toBe('1969-12-31T23:59:59.999Z');
  for (const value of [8.64e15 + 1, -1e300, true, null])
    expect(dateTimeField.coerceOperand(value)).toBe(value);
});
