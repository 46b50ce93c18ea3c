import { expect, it } from 'vitest';
import { createLogThrottle } from '../../src/lib/log-throttle.ts';

it('lets one line of each key through in its time, and counts the others', () => {
  let time = 0;
  const limit = createLogThrottle({ everyMs: 10, now: () => time });
  expect([limit('a'), limit('a'), limit('b'), limit('a')]).toEqual([
    { suppressed: 0 },
    undefined,
    { suppressed: 0 },
    undefined,
  ]);
  time = 10;
  expect([limit('a'), limit('a'), limit('b')]).toEqual([{ suppressed: 2 }, undefined, { suppressed: 0 }]);
});
