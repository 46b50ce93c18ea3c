import { expect, test } from 'vitest';
import { createByteBudget } from '../../src/lib/byte-budget.ts';

test('a budget has room for what fits beside the bytes that are held, and for anything when none are', () => {
  const budget = createByteBudget(10);
  expect(budget.hasRoom(50)).toBe(true);
  budget.add(6);
  expect([budget.hasRoom(4), budget.hasRoom(5)]).toEqual([true, false]);
  budget.add(9);
  expect(budget.hasRoom(0)).toBe(false);
  budget.add(-15);
  expect(budget.hasRoom(50)).toBe(true);
});
