import { expect, test } from 'vitest';
import { createFilterQuota } from '../../../src/collections/filters/filter-quota.ts';
import { AppError } from '../../../src/errors.ts';

test('counts nodes and bounds depth', () => {
  const budget = createFilterQuota({ filterDepth: 2, filterNodes: 2 });
  budget.countNode('a');
  budget.countNode('b');
  expect(() => budget.countNode('c')).toThrow(AppError);
  budget.checkDepth('$and', 2);
  expect(() => budget.checkDepth('$and', 3)).toThrow(/deeper|Invalid/);
});
