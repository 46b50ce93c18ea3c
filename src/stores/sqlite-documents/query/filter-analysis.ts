// Two views of a filter that planning needs: the tests per path that an index can serve, and the cost of evaluating it.
import { estimateRegexSize } from '../../../lib/regex/linear-regex.ts';
import type { Filter, FilterTest } from '../../filter.ts';

/** A filter as a conjunction. */
export interface Conjunction {
  /** The tests that must all pass, by path. */
  readonly tests: ReadonlyMap<string, readonly FilterTest[]>;
  /** Conditions that are not about a single path, such as `or`. */
  readonly others: readonly Filter[];
}

/** Flattens nested `and`s. */
export function flattenConjunction(filter: Filter): Conjunction {
  const tests = new Map<string, readonly FilterTest[]>();
  const others: Filter[] = [];
  const visit = (node: Filter) => {
    if (node.kind === 'and') node.filters.forEach(visit);
    else if (node.kind === 'field') tests.set(node.path, [...(tests.get(node.path) ?? []), ...node.tests]);
    else others.push(node);
  };
  visit(filter);
  return { tests, others };
}

export interface FilterCost {
  /** Instructions of all patterns together, per character of a document. */
  patterns: number;
  /** Number of tests and of values in their lists. */
  operands: number;
}

/** Estimates the cost of evaluating `filter`, without compiling it. */
export function filterCostOf(filter: Filter): Readonly<FilterCost> {
  const cost: FilterCost = { patterns: 0, operands: 0 };
  addFilter(filter, cost);
  return cost;
}

function addFilter(filter: Filter, cost: FilterCost): void {
  if (filter.kind === 'field') addTests(filter.tests, cost);
  else for (const part of filter.filters) addFilter(part, cost);
}

function addTests(tests: readonly FilterTest[], cost: FilterCost): void {
  for (const test of tests) {
    cost.operands += 1;
    if (test.kind === 'regex') cost.patterns += estimateRegexSize(test.pattern, test.flags);
    else if (test.kind === 'elemMatch') addFilter(test.filter, cost);
    else if (test.kind === 'not' || test.kind === 'elemMatchValue') addTests(test.tests, cost);
    else if ('values' in test) cost.operands += test.values.length;
  }
}
