import { describe, expect, it } from 'vitest';
import { backOff } from '../../../src/lib/async/back-off.ts';

const BOUNDS = { first: 5, most: 60 };

describe('backOff', () => {
  it('takes a share of a bound that doubles, up to the most', () => {
    const halves = [0, 1, 2, 3, 4, 5, 2000].map((round) => backOff(round, BOUNDS, () => 0.5));
    expect(halves).toEqual([2.5, 5, 10, 20, 30, 30, 30]);
  });

  it('draws anew each time', () => {
    const drawn = new Set(Array.from({ length: 50 }, () => backOff(3, BOUNDS)));
    expect(drawn.size).toBeGreaterThan(1);
    expect(Math.max(...drawn)).toBeLessThan(40);
  });
});
