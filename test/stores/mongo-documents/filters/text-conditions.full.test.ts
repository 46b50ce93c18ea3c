import { BSONRegExp, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../../src/lib/regex/case-folding.ts';
import type { Filter } from '../../../../src/stores/filter.ts';
import {
  candidatesByPattern,
  candidatesIgnoringCase,
  caseInsensitiveEqualities,
  caseInsensitiveSequence,
  isCaseless,
  otherForms,
  withSpellings,
} from '../../../../src/stores/mongo-documents/filters/text-conditions.ts';
import { where } from '../../../contracts/store-cases.ts';

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

it('a pattern is passed on as far as the server may run it', () => {
  expect(candidatesByPattern('^ab', '')).toEqual({ values: [regex('\\Aab')], exact: true });
  expect(candidatesByPattern('a+b', '').exact).toBe(false);
});

const fold = (path: string, value: string) => where(path, { kind: 'eq', value, caseInsensitive: true });
const both: Filter = { kind: 'and', filters: [fold('a', 'x'), where('b', { kind: 'eq', value: 'y' })] };

it('only equalities that every match satisfies are found', () => {
  expect(caseInsensitiveEqualities(both)).toEqual([{ path: 'a', text: 'x' }]);
  expect(caseInsensitiveEqualities({ kind: 'or', filters: [both] })).toEqual([]);
  expect(caseInsensitiveEqualities({ kind: 'nor', filters: [both] })).toEqual([]);
});

it('caseless text is no case-insensitive equality', () => {
  expect(caseInsensitiveEqualities(fold('a', '12'))).toEqual([]);
});

it('withSpellings replaces the text by its spellings', () => {
  expect(withSpellings(both, { path: 'a', text: 'x' }, ['X', 'x'])).toEqual({
    kind: 'and',
    filters: [where('a', { kind: 'in', values: ['X', 'x'] }), both.filters[1]],
  });
});

it('withSpellings keeps ids of other programs', () => {
  const id = '65A1B2C3D4E5F60718293A4B';
  const filter = withSpellings(fold('a', id), { path: 'a', text: id }, []);
  expect(filter).toEqual(where('a', { kind: 'in', values: [id.toLowerCase(), id] }));
});

/** All characters that fold alike with another one, by what they fold to. */
function foldingClasses(): ReadonlyMap<string, readonly string[]> {
  const classes = new Map<string, string[]>();
  for (let point = 0; point <= 0x1_ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    const folded = foldCase(character);
    const members = classes.get(folded);
    if (members === undefined) classes.set(folded, [character]);
    else members.push(character);
  }
  return new Map([...classes].filter(([, members]) => members.length > 1));
}

describe('caseless text', () => {
  it('is recognized, and has no case variants', () => {
    expect(['', '12-34', '日本', '\ud800'].every(isCaseless)).toBe(true);
    for (const members of foldingClasses().values()) {
      for (const member of members) expect(isCaseless(member)).toBe(false);
    }
  });
});

it('a long text is matched by its beginning only', () => {
  expect(caseInsensitiveSequence('ab')).toMatchObject({ exact: true, sequence: { length: 4 } });
  expect(caseInsensitiveSequence('a'.repeat(501))).toMatchObject({ exact: false, sequence: { length: 501 } });
});
