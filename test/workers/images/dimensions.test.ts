import { expect, test } from 'vitest';
import { applyOrientation } from '../../../src/workers/images/dimensions.ts';

test('orientations 5 to 8 swap width and height, all others leave them', () => {
  const widths = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (value) => applyOrientation({ width: 3, height: 2 }, value).width,
  );
  expect(widths).toEqual([3, 3, 3, 3, 3, 2, 2, 2, 2, 3]);
  expect(applyOrientation({ width: 3, height: 2 })).toEqual({ width: 3, height: 2 });
});
