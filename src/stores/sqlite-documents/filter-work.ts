// How much work a filter is, judged without compiling it: what only threads beside the main one should take on.
import { sizeLinear } from '../../lib/linear-regex.ts';
import type { Filter, Test } from '../filter.ts';

export interface FilterWork {
  /** Instructions of all patterns together, for each character of a document. */
  patterns: number;
  /** Tests, and values in their lists. */
  operands: number;
}

/** The work of `filter`. */
export function workOf(filter: Filter): Readonly<FilterWork> {
  const work: FilterWork = { patterns: 0, operands: 0 };
  addFilter(filter, work);
  return work;
}

function addFilter(filter: Filter, work: FilterWork): void {
  if (filter.kind === 'field') addTests(filter.tests, work);
  else for (const part of filter.filters) addFilter(part, work);
}

function addTests(tests: readonly Test[], work: FilterWork): void {
  for (const test of tests) {
    work.operands += 1;
    if (test.kind === 'regex') work.patterns += sizeLinear(test.pattern, test.flags);
    else if (test.kind === 'elemMatch') addFilter(test.filter, work);
    else if (test.kind === 'not' || test.kind === 'elemMatchValue') addTests(test.tests, work);
    else if ('values' in test) work.operands += test.values.length;
  }
}
