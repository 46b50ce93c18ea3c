import { expect, test } from 'vitest';
import { createByteQuota } from '../../src/lib/byte-quota.ts';

test('a budget has room for what fits beside the bytes that are held, and for anything when none are', () => {
  const budget = createByteQuota(10);
  expect(budget.fits(50)).toBe(true);
  budget.add(6);
  expect([budget.fits(4), budget.fits(5)]).toEqual([true, false]);
  budget.add(9);
  expect(budget.fits(0)).toBe(false);
  budget.add(-15);
  expect(budget.fits(50)).toBe(true);
});
