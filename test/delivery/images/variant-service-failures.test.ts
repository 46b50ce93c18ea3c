// What is remembered of failed renderings, and for how long.
import { expect, it } from 'vitest';
import { createRecentFailures } from '../../../src/delivery/images/variant-service.ts';
import { AppError, type ErrorCode } from '../../../src/errors/errors.ts';

const LIFETIMES: readonly (readonly [ErrorCode, number])[] = [
  ['IMAGE_INVALID', 30_000],
  ['IMAGE_TOO_LARGE', 30_000],
  ['CROP_INVALID', 30_000],
  ['RENDER_TIMEOUT', 5000],
  ['RENDER_FAILED', 5000],
];

it.each(LIFETIMES)(
  'a rendering that failed with %s fails for %i ms without being tried',
  (code, lifetime) => {
    let time = 0;
    const failures = createRecentFailures(() => time);
    const error = new AppError(code);
    failures.add('key', error);
    failures.assertNone('other');
    time = lifetime - 1;
    expect(() => failures.assertNone('key')).toThrow(error);
    time = lifetime;
    failures.assertNone('key');
  },
);

it.each([new AppError('RENDER_BUSY'), new AppError('ORIGIN_TIMEOUT'), new Error('away'), undefined])(
  'a rendering that failed with %s is tried again at once',
  (error) => {
    const failures = createRecentFailures(() => 0);
    failures.add('key', error);
    failures.assertNone('key');
  },
);

it('the last thousand failed renderings are remembered, until they are forgotten', () => {
  const failures = createRecentFailures(() => 0);
  const isKnown = (n: number) => {
    try {
      failures.assertNone(String(n));
      return false;
    } catch {
      return true;
    }
  };
  for (let n = 0; n < 1001; n += 1) failures.add(String(n), new AppError('IMAGE_INVALID'));
  expect([0, 1, 1000].map(isKnown)).toEqual([false, true, true]);
  failures.clear();
  expect(isKnown(1000)).toBe(false);
});
