import fc from 'fast-check';
import { BSON, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../../src/stores/matching/compare.ts';
import { parseBson } from '../../../../src/stores/mongo-documents/bson/bson-conversion.ts';
import {
  comparisonOperand,
  dateOf,
  decimalForms,
  isRoundedNumber,
  isStorable,
  looksLikeOperator,
  neighbouringNumbers,
  nonJsonForms,
  patternForm,
  READ_AS_NULL,
  smallestIdFrom,
  storedForms,
} from '../../../../src/stores/mongo-documents/filters/stored-values.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const DATE = '2026-01-02T03:04:05.678Z';

describe('the stored forms of a value', () => {
  it('are an ObjectId for an id, and both forms for its text in other fields', () => {
    expect(storedForms(ID, true)).toEqual([new ObjectId(ID)]);
    expect(storedForms(ID, false)).toEqual([ID, new ObjectId(ID)]);
    expect(storedForms('mine', true)).toEqual(['mine']);
  });

  it('include a date for its text', () => {
    expect(storedForms(DATE, false)).toEqual([DATE, new Date(DATE)]);
  });
});

it('unstorable names and objects that look like operators are recognized', () => {
  expect([1, null, 'a\0', ['a\0'], { a: 'x\0' }].every(isStorable)).toBe(true);
  expect([{ 'a\0': 1 }, [{ b: { '\0': 1 } }]].some(isStorable)).toBe(false);
  expect([{ $a: 1 }, { a: 1, $b: 1 }].every(looksLikeOperator)).toBe(true);
  expect([null, 1, '$a', ['$a'], { a: { $b: 1 } }].some(looksLikeOperator)).toBe(false);
});

describe('smallestIdFrom', () => {
  it.each([
    ['', '000000000000000000000000'],
    ['a', 'a00000000000000000000000'],
    ['A', 'a00000000000000000000000'],
    [':', 'a00000000000000000000000'],
    ['1z', '200000000000000000000000'],
    ['ffg', undefined],
    ['9g', 'a00000000000000000000000'],
    [ID, ID],
    [`${ID}0`, '65a1b2c3d4e5f60718293a4c'],
    ['ffffffffffffffffffffffff', 'ffffffffffffffffffffffff'],
    ['ffffffffffffffffffffffff0', undefined],
  ])('%j', (text, expected) => {
    expect(smallestIdFrom(text)?.toHexString()).toBe(expected);
  });

  it('is the bound for any text', () => {
    const digits = fc.string({
      unit: fc.constantFrom('0', '1', '9', 'a', 'f', '/', ':', 'g', '😀'),
      maxLength: 26,
    });
    const id = fc.string({ unit: fc.constantFrom('0', '1', '9', 'a', 'f'), minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(digits, id, (text, hex) => {
        const least = smallestIdFrom(text)?.toHexString();
        expect(least !== undefined && hex >= least).toBe(compareText(hex, text) >= 0);
      }),
      { numRuns: 1000 },
    );
  });
});

const DATE_TEXT = '2026-01-02T03:04:05.678Z';
const HEX = '65a1b2c3d4e5f60718293a4b';
const shown = (value: unknown) => parseBson(BSON.serialize({ value, _id: HEX }))['value'];

it.each<[string, unknown]>([
  ['an ObjectId', new BSON.ObjectId(HEX)],
  ['a date', new Date(DATE_TEXT)],
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
    DATE_TEXT.toLowerCase(),
    '007',
  ]) {
    expect(nonJsonForms(text), text).toEqual([]);
  }
  expect(dateOf('2026-02-31T00:00:00.000Z')).toBeUndefined();
  expect(nonJsonForms('99999999999999999999')).not.toContainEqual(expect.any(BSON.Timestamp));
});

it('no text between slashes is sought as a pattern that no server can hold: it may be an address', () => {
  expect(['/1.0/greeting', '/a/b/good', '/a/g', '/a/d', '/a/ß'].map(patternForm)).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
  fc.assert(
    fc.property(
      fc.string(),
      fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz/') }),
      (a, b) => {
        expect(() => patternForm(`/${a}/${b}`)).not.toThrow();
      },
    ),
  );
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
