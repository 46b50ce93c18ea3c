import { expect, it } from 'vitest';
import {
  type Atom,
  eitherOf,
  follow,
  hasEvery,
  longestRun,
  repeat,
  type Sequences,
  trimmed,
  UNKNOWN,
} from '../../../../src/stores/mongo-documents/patterns/atoms.ts';

const a: Atom = { kind: 'set', ranges: [[97, 97]] };
const b: Atom = { kind: 'set', ranges: [[98, 98]] };
const any: Atom = { kind: 'set', ranges: [[0, 0x10_ffff]] };
const start: Atom = { kind: 'start' };
const end: Atom = { kind: 'end' };
const gap = (anything: boolean): Atom => ({ kind: 'gap', nothing: true, anything });
const hole = UNKNOWN[0]![0]!;

it('multiplies alternatives out', () => {
  expect(follow([[a], [b]], [[a], []])).toEqual([[a, a], [a], [b, a], [b]]);
  expect(repeat([[a]], 2, 2)).toEqual([[a, a]]);
  expect(repeat([[a]], 0, 2)).toEqual([[], [a], [a, a]]);
  expect(repeat([[a]], 1, Infinity)).toEqual([[a, gap(false)]]);
  expect(repeat([[any]], 0, Infinity)).toEqual([[gap(true)]]);
});

it('gives up where they are too many', () => {
  const many: Sequences = Array.from({ length: 20 }, () => [a]);
  expect(eitherOf(many, many)).toEqual(UNKNOWN);
  expect(follow(many, [[a], [b]])).toEqual([
    [hole, a],
    [hole, b],
  ]);
  expect(repeat([[a]], 5000, 5000)).toEqual(UNKNOWN);
});

it('drops what may be nothing at the ends, and an anchor that anything follows', () => {
  expect(trimmed([gap(false), a, gap(true)])).toEqual([a]);
  expect(trimmed([start, gap(true), a, gap(true), end])).toEqual([a]);
  expect(trimmed([start, gap(false), a])).toEqual([start, gap(false), a]);
  expect(trimmed([hole, a])).toEqual([hole, a]);
});

it('finds the longest part that is known', () => {
  expect(longestRun([a, gap(false), b, a, hole, b])).toEqual([b, a]);
  expect(longestRun([hole])).toEqual([]);
});

it('knows a set that leaves nothing out', () => {
  expect(
    hasEvery([
      [5, 0x10_ffff],
      [0, 4],
    ]),
  ).toBe(true);
  expect(
    hasEvery([
      [0, 4],
      [6, 0x10_ffff],
    ]),
  ).toBe(false);
});
