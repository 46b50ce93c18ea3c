// Spans of time: what counts as seconds, what as text with a unit, and where the bounds are.
import { describe, expect, it } from 'vitest';
import { isDuration, parseDuration } from '../../src/lib/duration.ts';

const DAY = 86_400_000;

describe('parseTimeSpan', () => {
  it.each<[unknown, number]>([
    [1, 1000],
    [60, 60_000],
    [1.5, 1500],
    ['60', 60_000],
    ['15000', 15_000_000],
    ['1.5', 1500],
    ['2 days', 2 * DAY],
    ['10h', 36_000_000],
    ['7D', 7 * DAY],
    ['1500ms', 1500],
    ['1s', 1000],
    [2_592_000, 30 * DAY],
    ['30 days', 30 * DAY],
  ])('reads %j as %i ms', (value, expected) => {
    expect(parseDuration(value)).toBe(expected);
  });

  it.each<[unknown]>([
    [0],
    [-1],
    [0.5],
    [0.999],
    [2_592_001],
    [1e308],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    ['0'],
    ['-1'],
    ['0.5'],
    ['999ms'],
    ['31 days'],
    ['1y'],
    [''],
    [' '],
    ['soon'],
    ['1 month'],
    ['1e3'],
    ['0x10'],
    ['1h 30m'],
    [' 1h'],
    ['1h\n'],
    ['1'.repeat(200)],
    [null],
    [true],
    [[60]],
    [{}],
    [undefined],
  ])('refuses %j', (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });
});

describe('isTimeSpan', () => {
  it('wants a unit', () => {
    expect(isDuration('10h')).toBe(true);
    expect(isDuration('10')).toBe(false);
    expect(isDuration('31 days')).toBe(false);
  });
});
