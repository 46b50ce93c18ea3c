// How much work a filter is, judged without compiling it: what only threads beside the main one should take on.
import { estimateRegexSize } from '../../../lib/regex/linear-regex.ts';
import type { Filter, FilterTest } from '../../filter.ts';

export interface FilterCost {
  /** Instructions of all patterns together, for each character of a document. */
  patterns: number;
  /** Tests, and values in their lists. */
  operands: number;
}

/** The work of `filter`. */
export function filterCostOf(filter: Filter): Readonly<FilterCost> {
  const work: FilterCost = { patterns: 0, operands: 0 };
  addFilter(filter, work);
  return work;
}

function addFilter(filter: Filter, work: FilterCost): void {
  if (filter.kind === 'field') addTests(filter.tests, work);
  else for (const part of filter.filters) addFilter(part, work);
}

function addTests(tests: readonly FilterTest[], work: FilterCost): void {
  for (const test of tests) {
    work.operands += 1;
    if (test.kind === 'regex') work.patterns += estimateRegexSize(test.pattern, test.flags);
    else if (test.kind === 'elemMatch') addFilter(test.filter, work);
    else if (test.kind === 'not' || test.kind === 'elemMatchValue') addTests(test.tests, work);
    else if ('values' in test) work.operands += test.values.length;
  }
}
