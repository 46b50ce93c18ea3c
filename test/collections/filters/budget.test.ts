import { expect, test } from 'vitest';
import { createBudget } from '../../../src/collections/filters/budget.ts';
import { AppError } from '../../../src/errors.ts';

test('counts nodes and bounds depth', () => {
  const budget = createBudget({ filterDepth: 2, filterNodes: 2 });
  budget.spend('a');
  budget.spend('b');
  expect(() => budget.spend('c')).toThrow(AppError);
  budget.descend('$and', 2);
  expect(() => budget.descend('$and', 3)).toThrow(/deeper|Invalid/);
});
