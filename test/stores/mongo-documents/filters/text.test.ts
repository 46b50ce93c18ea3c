import { BSONRegExp, ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import {
  otherForms,
  soughtByPattern,
  soughtFolded,
  soughtUnderCollation,
} from '../../../../src/stores/mongo-documents/filters/text.ts';

const ID = '65a1b2c3d4e5f60718293a4b';
const regex = (pattern: string) => new BSONRegExp(pattern, '');

it('asks for text whatever its case by a pattern, and for text without case by itself', () => {
  expect(soughtFolded('a1', false)).toEqual({ values: [regex('\\A[\\x{61}\\x{41}]1\\z')], exact: true });
  expect(soughtFolded('日本 1', false)).toEqual({ values: ['日本 1'], exact: true });
  expect(soughtFolded('é'.repeat(501), false).exact).toBe(false);
});

it('finds ids and dates of other programs whatever the case of their text', () => {
  expect(soughtFolded(ID.toUpperCase(), true)).toEqual({ values: [new ObjectId(ID)], exact: true });
  expect(soughtFolded(ID.toUpperCase(), false).values).toContainEqual(new ObjectId(ID));
  expect(otherForms('2026-01-02t03:04:05.678z')).toEqual([new Date('2026-01-02T03:04:05.678Z')]);
  expect(otherForms('plain')).toEqual([]);
});

it('tells texts apart by patterns where a collation would not', () => {
  expect(soughtUnderCollation('a.B\n', false)).toEqual({ values: [regex('\\Aa\\.B\\x{a}\\z')], exact: true });
  expect(soughtUnderCollation(ID, true)).toEqual({ values: [new ObjectId(ID)], exact: true });
  expect(soughtUnderCollation(ID, false).values).toEqual([regex(`\\A${ID}\\z`), new ObjectId(ID)]);
  expect(soughtUnderCollation('x'.repeat(1001), false).exact).toBe(false);
});

it('hands on what of a pattern the server may run', () => {
  expect(soughtByPattern('^ab', '')).toEqual({ values: [regex('\\Aab')], exact: true });
  expect(soughtByPattern('a+b', '').exact).toBe(false);
});
