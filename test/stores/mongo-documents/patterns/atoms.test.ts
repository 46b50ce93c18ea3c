import { expect, it } from 'vitest';
import {
  type AtomSequences,
  alternatives,
  concat,
  longestGaplessRun,
  matchesAnyCharacter,
  type PatternAtom,
  repeat,
  trimGaps,
  UNKNOWN,
} from '../../../../src/stores/mongo-documents/patterns/atoms.ts';

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
