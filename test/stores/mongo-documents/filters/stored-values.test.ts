import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../../src/stores/matching/compare.ts';
import {
  isStorable,
  looksLikeOperator,
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
