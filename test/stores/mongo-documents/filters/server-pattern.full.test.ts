import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileLinearRegex } from '../../../../src/lib/regex/linear-regex.ts';
import { parsePattern } from '../../../../src/stores/mongo-documents/filters/parse-pattern.ts';
import {
  type AtomSequences,
  alternatives,
  concat,
  longestGaplessRun,
  matchesAnyCharacter,
  type PatternAtom,
  repeat,
  serverPattern,
  serverPatterns,
  trimGaps,
  UNKNOWN,
} from '../../../../src/stores/mongo-documents/filters/server-pattern.ts';
import { describeMongo, ownDatabase, rawClient } from '../../../helpers/store/mongo-servers.ts';

it('an unmatchable sequence has no pattern', () => {
  expect(serverPattern([{ kind: 'set', ranges: [[0xd800, 0xdfff]] }])).toBeUndefined();
  expect(serverPatterns([[{ kind: 'set', ranges: [] }]])).toEqual({ patterns: [], exact: true });
});

it('a pattern that is too long for the server is not sent', () => {
  const wide = Array.from({ length: 900 }, (_, n) => [n * 100, n * 100 + 50] as const);
  const sequence = Array.from({ length: 5 }, () => ({ kind: 'set' as const, ranges: wide }));
  expect(serverPatterns([sequence]).exact).toBe(false);
});

const PIECES = [
  'a',
  'B',
  '.',
  '^',
  '$',
  '[a-c]',
  '[^b]',
  '\\w',
  '\\W',
  '\\s',
  '\\b',
  '\\B',
  '(?:a|b)',
  'é',
  'ſ',
  'k',
];
const MARKS = ['', '', '', '?', '*', '+', '{2}'];
const TEXTS = [
  '',
  'a',
  'ab',
  'AB',
  'a\nb',
  'b\n',
  'é',
  'É',
  's',
  'K',
  '\u212a',
  'aab c',
  '\u2028',
  'a\r',
  '😀b',
  '_',
];

describeMongo('server patterns', ({ standalone }) => {
  it('match the same texts on the server as in this process', async () => {
    const texts = rawClient(await ownDatabase(standalone))
      .db()
      .collection('texts');
    await texts.insertMany(TEXTS.map((text) => ({ text })));
    const piece = fc
      .tuple(fc.constantFrom(...PIECES), fc.constantFrom(...MARKS))
      .map((parts) => parts.join(''));
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 4 })
      .map((pieces) => pieces.join(''))
      .chain((whole) => fc.constantFrom(whole, `${whole}|b`, `^(?:${whole})$`));
    const property = fc.asyncProperty(
      pattern,
      fc.constantFrom('', 'i', 'm', 's', 'ims'),
      async (source, flags) => {
        const { test } = compileLinearRegex(source, flags);
        const { patterns, exact } = serverPatterns(parsePattern(source, flags));
        const found = await texts.find({ text: { $in: patterns } }).toArray();
        const there = new Set(found.map((document) => document['text']));
        const expected = TEXTS.filter(test);
        if (exact) expect([...there].sort()).toEqual(expected.sort());
        else expect(expected.filter((text) => !there.has(text))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });
});

const a: PatternAtom = { kind: 'set', ranges: [[97, 97]] };
const b: PatternAtom = { kind: 'set', ranges: [[98, 98]] };
const any: PatternAtom = { kind: 'set', ranges: [[0, 0x10_ffff]] };
const start: PatternAtom = { kind: 'start' };
const end: PatternAtom = { kind: 'end' };
const gap = (anything: boolean): PatternAtom => ({ kind: 'gap', nothing: true, anything });
const hole = UNKNOWN[0]![0]!;

it('concatenation multiplies alternatives', () => {
  expect(concat([[a], [b]], [[a], []])).toEqual([[a, a], [a], [b, a], [b]]);
  expect(repeat([[a]], 2, 2)).toEqual([[a, a]]);
  expect(repeat([[a]], 0, 2)).toEqual([[], [a], [a, a]]);
  expect(repeat([[a]], 1, Infinity)).toEqual([[a, gap(false)]]);
  expect(repeat([[any]], 0, Infinity)).toEqual([[gap(true)]]);
});

it('too many alternatives become a gap', () => {
  const many: AtomSequences = Array.from({ length: 20 }, () => [a]);
  expect(alternatives(many, many)).toEqual(UNKNOWN);
  expect(concat(many, [[a], [b]])).toEqual([
    [hole, a],
    [hole, b],
  ]);
  expect(repeat([[a]], 5000, 5000)).toEqual(UNKNOWN);
});

it('trimGaps drops gaps at the ends, and anchors next to gaps of any text', () => {
  expect(trimGaps([gap(false), a, gap(true)])).toEqual([a]);
  expect(trimGaps([start, gap(true), a, gap(true), end])).toEqual([a]);
  expect(trimGaps([start, gap(false), a])).toEqual([start, gap(false), a]);
  expect(trimGaps([hole, a])).toEqual([hole, a]);
});

it('the longest part without a gap is found', () => {
  expect(longestGaplessRun([a, gap(false), b, a, hole, b])).toEqual([b, a]);
  expect(longestGaplessRun([hole])).toEqual([]);
});

it('a set of all characters is recognized', () => {
  expect(
    matchesAnyCharacter([
      [5, 0x10_ffff],
      [0, 4],
    ]),
  ).toBe(true);
  expect(
    matchesAnyCharacter([
      [0, 4],
      [6, 0x10_ffff],
    ]),
  ).toBe(false);
});
