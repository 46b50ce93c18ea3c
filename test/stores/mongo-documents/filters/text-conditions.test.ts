import { BSONRegExp, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import {
  candidatesByPattern,
  candidatesIgnoringCase,
  candidatesUnderCollation,
  otherForms,
} from '../../../../src/stores/mongo-documents/filters/text-conditions.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const regex = (pattern: string) => new BSONRegExp(pattern, '');

it('case-insensitive text becomes a pattern, caseless text stays text', () => {
  expect(candidatesIgnoringCase('a1', false)).toEqual({
    values: [regex('\\A[\\x{61}\\x{41}]1\\z')],
    exact: true,
  });
  expect(candidatesIgnoringCase('日本 1', false)).toEqual({ values: ['日本 1'], exact: true });
  expect(candidatesIgnoringCase('é'.repeat(501), false).exact).toBe(false);
});

it('ids and dates match case-insensitively', () => {
  expect(candidatesIgnoringCase(ID.toUpperCase(), true)).toEqual({ values: [new ObjectId(ID)], exact: true });
  expect(candidatesIgnoringCase(ID.toUpperCase(), false).values).toContainEqual(new ObjectId(ID));
  expect(otherForms('2026-01-02t03:04:05.678z')).toEqual([new Date('2026-01-02T03:04:05.678Z')]);
  expect(otherForms('plain')).toEqual([]);
});

it('exact text under a collation becomes a pattern', () => {
  expect(candidatesUnderCollation('a.B\n', false)).toEqual({
    values: [regex('\\Aa\\.B\\x{a}\\z')],
    exact: true,
  });
  expect(candidatesUnderCollation(ID, true)).toEqual({ values: [new ObjectId(ID)], exact: true });
  expect(candidatesUnderCollation(ID, false).values).toEqual([regex(`\\A${ID}\\z`), new ObjectId(ID)]);
  expect(candidatesUnderCollation('x'.repeat(1001), false).exact).toBe(false);
});

it('a pattern is passed on as far as the server may run it', () => {
  expect(candidatesByPattern('^ab', '')).toEqual({ values: [regex('\\Aab')], exact: true });
  expect(candidatesByPattern('a+b', '').exact).toBe(false);
});
