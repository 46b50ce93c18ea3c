import { expect, test } from 'vitest';
import { dateTimeField, MILLISECONDS_OPERAND } from '../../../../src/collections/model/fields/date-time.ts';

test.each([
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['2024-02-29T12:30', '2024-02-29T12:30:00.000Z'],
  ['2024-02-29T12:30:15.5', '2024-02-29T12:30:15.500Z'],
  ['2024-02-29T12:30:15.123456789Z', '2024-02-29T12:30:15.123Z'],
  ['2024-02-29T23:30:00-02:00', '2024-03-01T01:30:00.000Z'],
  ['+002024-01-01', '2024-01-01T00:00:00.000Z'],
  ['0000-01-01', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0001-01-01', '0001-01-01T00:00:00.000Z'],
])('%s is stored as %s', (text, stored) => {
  expect(dateTimeField.check(text)).toBeUndefined();
  expect(dateTimeField.normalise(text)).toBe(stored);
  expect(dateTimeField.normalise(stored)).toBe(stored);
  expect(dateTimeField.readOperand(text)).toBe(stored);
});

test.each([
  ['2023-02-29'],
  ['2024-13-01'],
  ['2024-01-01T25:00'],
  ['2024-01-01 10:00'],
  ['2023-01-29t12:00:00z'],
  ['2023-01-29T999:00:00.000Z'],
  ['20230130'],
  ['30/01/2023'],
  ['2024-1-1'],
  ['1 May 2024'],
  ['-000000-01-01'],
  ['+999999-01-01'],
  [''],
])('%j is no date', (text) => {
  expect(dateTimeField.check(text)?.message).toBe('is not a valid DateTime');
  expect(dateTimeField.readOperand(text)).toBeUndefined();
});

test.each([['+012024-01-01'], ['-000001-12-31'], ['9999-12-31T23:59-00:01'], ['0000-01-01T00:00+00:01']])(
  '%s is beyond the years that text can order, as a value and as an operand',
  (text) => {
    const problem = { message: 'is not a DateTime of the years 0000 to 9999', code: 'ERROR_VALUE_INVALID' };
    expect(dateTimeField.check(text)).toEqual(problem);
    expect(dateTimeField.readOperand(text)).toBeUndefined();
  },
);

test('every operand that is let through has the order of its instant', () => {
  const LAST = Date.parse('9999-12-31T23:59:59.999Z');
  const FIRST = Date.parse('0000-01-01T00:00:00.000Z');
  for (const value of [FIRST, LAST, 0]) {
    expect(dateTimeField.readOperand(value)).toMatch(/^\d{4}-/);
  }
  for (const value of [
    FIRST - 1,
    LAST + 1,
    LAST + 0.5,
    0.5,
    8.64e15,
    1e300,
    -1e300,
    'soon',
    '',
    true,
    {},
    ['2024-01-01'],
  ]) {
    expect(dateTimeField.readOperand(value)).toBeUndefined();
  }
});

test('other types are refused', () => {
  for (const value of [1700000000000, ['2024-01-01'], {}, true]) {
    expect(dateTimeField.check(value)?.message).toBe('is not a valid DateTime');
  }
});

test('operands may be epoch milliseconds', () => {
  expect(dateTimeField.readOperand(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(dateTimeField.readOperand(-1)).toBe('1969-12-31T23:59:59.999Z');
  // Cut to a whole one, `$lt` would leave out the millisecond before it.
  expect(dateTimeField.readOperand(-1.5)).toBeUndefined();
});

test.each([
  ['1970-01-01T00:00:01Z', 1000],
  ['1969-12-31', -86_400_000],
  [1700000000000, 1700000000000],
  ['1700000000000', 1700000000000],
  ['soon', undefined],
  ['', undefined],
  [true, undefined],
])('an operand %j of a field that holds milliseconds becomes %j', (operand, milliseconds) => {
  expect(MILLISECONDS_OPERAND.readOperand(operand)).toBe(milliseconds);
});

test.each([['2023'], ['202301'], ['20230129'], ['20230129120000'], ['-000001-01-01'], ['+010000-01-01']])(
  '%s is no number of milliseconds: whoever writes it means a date',
  (text) => {
    expect(MILLISECONDS_OPERAND.readOperand(text)).toBeUndefined();
  },
);

test.each([
  ['0', 0],
  ['1674950400000', 1_674_950_400_000],
  ['-1', -1],
  [2023, 2023],
])('%j is a number of milliseconds', (operand, milliseconds) => {
  expect(MILLISECONDS_OPERAND.readOperand(operand)).toBe(milliseconds);
});
