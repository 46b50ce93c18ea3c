// Rectangles of the image as shown, on the image as stored.

import { describe, expect, it } from 'vitest';
import {
  composeRotation,
  rotateSize,
  rotationOf,
  toStoredGeometry,
  toStoredRectangle,
} from '../../../src/delivery/images/orientation.ts';

/** Where a place of a stored image of 4 by 3 is shown: the definition of EXIF. */
const SHOWN_AT: Readonly<Record<number, (x: number, y: number) => readonly [number, number]>> = {
  1: (x, y) => [x, y],
  2: (x, y) => [3 - x, y],
  3: (x, y) => [3 - x, 2 - y],
  4: (x, y) => [x, 2 - y],
  5: (x, y) => [y, x],
  6: (x, y) => [2 - y, x],
  7: (x, y) => [2 - y, 3 - x],
  8: (x, y) => [y, 3 - x],
};
const STORED = { width: 4, height: 3 };

describe('the EXIF orientation', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('of %i is undone pixel by pixel', (orientation) => {
    const rotation = rotationOf(orientation);
    const shown = rotateSize(STORED, rotation);
    for (let x = 0; x < 4; x += 1) {
      for (let y = 0; y < 3; y += 1) {
        const [left, top] = SHOWN_AT[orientation]!(x, y);
        const part = toStoredRectangle({ left, top, width: 1, height: 1 }, shown, rotation);
        expect(part).toEqual({ left: x, top: y, width: 1, height: 1 });
      }
    }
  });

  it.each([undefined, 0, 9, 1.5])('is normal for %j', (orientation) => {
    expect(rotationOf(orientation)).toEqual({ angle: 0, mirror: false });
  });

  it('rotates every step of a geometry', () => {
    const geometry = {
      scale: { width: 30, height: 40 },
      trim: { left: 0, top: 10, width: 30, height: 20 },
      size: { width: 30, height: 20 },
    };
    expect(toStoredGeometry(geometry, { width: 300, height: 400 }, rotationOf(6))).toEqual({
      scale: { width: 40, height: 30 },
      trim: { left: 10, top: 0, width: 20, height: 30 },
      size: { width: 20, height: 30 },
    });
  });
});

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
