// The eight ways in which an image can lie, worked out on a small grid.
import { describe, expect, it } from 'vitest';
import { composeRotation } from '../../../src/delivery/images/rotation.ts';

type Grid = readonly (readonly string[])[];
const right = (grid: Grid): Grid => grid[0]!.map((_, x) => grid.map((row) => row[x]!).toReversed());
const mirror = (grid: Grid): Grid => grid.map((row) => row.toReversed());
const upsideDown = (grid: Grid): Grid => grid.toReversed();

function rotation(grid: Grid, { angle, mirror: isMirrored }: { angle: number; mirror: boolean }): Grid {
  let result = grid;
  for (let step = 0; step < angle / 90; step += 1) result = right(result);
  return isMirrored ? mirror(result) : result;
}

const GRID: Grid = [
  ['a', 'b', 'c'],
  ['d', 'e', 'f'],
];

const FLIPS = { x: mirror, y: upsideDown, xy: (grid: Grid) => mirror(upsideDown(grid)) } as const;

describe('orientation, flip and rotation', () => {
  const orientations = [0, 90, 180, 270].flatMap((angle) =>
    [true, false].map((isMirrored) => ({ angle: angle as 0 | 90 | 180 | 270, mirror: isMirrored })),
  );
  it.each(orientations)('compose from %j', (orientation) => {
    for (const flip of ['x', 'y', 'xy'] as const) {
      for (const rotate of [0, 90, 180, 270, -90, 360]) {
        let expected = FLIPS[flip](rotation(GRID, orientation));
        for (let step = 0; step < ((rotate + 360) % 360) / 90; step += 1) expected = right(expected);
        expect(rotation(GRID, composeRotation(orientation, { flip, rotate }))).toEqual(expected);
      }
    }
  });

  it('leave an odd angle for the end', () => {
    expect(composeRotation({ angle: 90, mirror: false }, { rotate: -10 })).toEqual({
      angle: 90,
      mirror: false,
      odd: 350,
    });
  });
});
