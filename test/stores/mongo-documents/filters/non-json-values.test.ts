// What other programs may have stored is found by what it is shown as.
import fc from 'fast-check';
import { BSON } from 'mongodb';
import { expect, it } from 'vitest';
import { parseBson } from '../../../../src/stores/mongo-documents/bson/bson-to-json.ts';
import {
  comparisonOperand,
  dateOf,
  decimalForms,
  isRoundedNumber,
  neighbouringNumbers,
  nonJsonForms,
  patternForm,
  READ_AS_NULL,
} from '../../../../src/stores/mongo-documents/filters/non-json-values.ts';

const DATE = '2026-01-02T03:04:05.678Z';
const HEX = '65a1b2c3d4e5f60718293a4b';
const shown = (value: unknown) => parseBson(BSON.serialize({ value, _id: HEX }))['value'];

it.each<[string, unknown]>([
  ['an ObjectId', new BSON.ObjectId(HEX)],
  ['a date', new Date(DATE)],
  ['a UUID', new BSON.UUID('0190f0c2-6f2e-7c3a-8b1d-2f4a5b6c7d8e').toBinary()],
  ['bytes', new BSON.Binary(Buffer.from('cover'))],
  ['a checksum', new BSON.Binary(Buffer.alloc(16, 7), 5)],
  ['a timestamp', new BSON.Timestamp({ t: 5, i: 6 })],
  ['code', new BSON.Code('function () { return 1 }')],
])('a stored %s is among the forms of its text', (_name, value) => {
  expect(nonJsonForms(String(shown(value)))).toContainEqual(value);
});

it('words, numeric texts and near-dates have no other form', () => {
  for (const text of [
    '',
    'Emma',
    'book',
    'GOLD',
    'a longer title',
    '2026-01-02',
    DATE.toLowerCase(),
    '007',
  ]) {
    expect(nonJsonForms(text), text).toEqual([]);
  }
  expect(dateOf('2026-02-31T00:00:00.000Z')).toBeUndefined();
  expect(nonJsonForms('99999999999999999999')).not.toContainEqual(expect.any(BSON.Timestamp));
});

it('a stored pattern is recognized by its text', () => {
  expect(patternForm('/a/b/im')).toEqual(new BSON.BSONRegExp('a/b', 'im'));
  expect(['/a', 'a/i', '/a/I', '/a/mi'].map(patternForm)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

it('a long text is not taken for Base64', () => {
  const text = (length: number) => Buffer.alloc((length / 4) * 3, 'cover').toString('base64');
  expect([nonJsonForms(text(4096)).length > 0, nonJsonForms(text(4100))]).toEqual([true, []]);
});

it('values that are read as null are known', () => {
  expect(READ_AS_NULL.map(shown)).toEqual(READ_AS_NULL.map(() => null));
});

it('a number and its decimal are on the same side of every comparison', () => {
  const numbers = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
  fc.assert(
    fc.property(numbers, (value) => {
      const [decimal] = decimalForms(value);
      expect(decimal === undefined).toBe(Number.isInteger(value));
      if (decimal !== undefined) expect(shown(decimal)).toBe(value);
      const { below, above } = neighbouringNumbers(value);
      expect(below < value && above > value).toBe(true);
    }),
  );
  // 0.1 as a double is above the decimal number, 0.3 below it.
  const decimal = (text: string) => BSON.Decimal128.fromString(text);
  expect(comparisonOperand('gte', 0.1)).toEqual(decimal('0.1'));
  expect(comparisonOperand('gt', 0.1)).toBe(0.1);
  expect(comparisonOperand('gte', 0.3)).toBe(0.3);
  expect(comparisonOperand('lte', 0.3)).toEqual(decimal('0.3'));
  expect(comparisonOperand('lt', 5)).toBe(5);
  expect([5, 19.99, 2 ** 53, 0.12345678901234568].map(isRoundedNumber)).toEqual([false, false, true, true]);
});
