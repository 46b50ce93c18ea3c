// Takes a filter apart into what must hold of each path, which is what indexes can serve.
import type { Filter, FilterTest } from '../../filter.ts';

export interface Conjunction {
  /** The tests that must all hold, by path. */
  readonly tests: ReadonlyMap<string, readonly FilterTest[]>;
  /** Conditions that are about no single path. */
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
