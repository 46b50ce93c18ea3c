// Takes a condition on a path apart, so that each of its tests can be asked of other documents than those that hold the path.
import { joinParsedFilters, type ParsedFilter, type ParsedTest } from './parsed-filter.ts';

/** A test that holds for the whole path as soon as it holds for one value at its end. */
export type AtomicTest = Exclude<ParsedTest, { readonly kind: 'ne' | 'nin' | 'not' | 'all' }>;

/**
 * Joins what `ask` makes of the atoms of `tests`. Negations stand around them: what must hold for no element of a list
 * cannot be asked of one element at a time.
 */
export function distributeTests(
  tests: readonly ParsedTest[],
  ask: (atom: AtomicTest) => ParsedFilter,
): ParsedFilter {
  return joinParsedFilters(
    'and',
    tests.map((test) => distributeTest(test, ask)),
  );
}

function distributeTest(test: ParsedTest, ask: (atom: AtomicTest) => ParsedFilter): ParsedFilter {
  switch (test.kind) {
    case 'ne':
      return joinParsedFilters('nor', [ask({ kind: 'eq', value: test.value })]);
    case 'nin':
      return joinParsedFilters('nor', [ask({ kind: 'in', values: test.values })]);
    case 'not':
      return joinParsedFilters('nor', [distributeTests(test.tests, ask)]);
    case 'exists':
      return test.value ? ask(test) : joinParsedFilters('nor', [ask({ kind: 'exists', value: true })]);
    case 'all':
      // Of nothing, no list has all.
      if (test.values.length === 0) return joinParsedFilters('or', []);
      return joinParsedFilters(
        'and',
        test.values.map((value) => ask({ kind: 'eq', value })),
      );
    default:
      return ask(test);
  }
}

/** Whether an atom holds where the path ends before its last name. */
export function matchesMissing(atom: AtomicTest): boolean {
  switch (atom.kind) {
    case 'eq':
    case 'gte':
    case 'lte':
      return atom.value === null;
    case 'in':
      return atom.values.includes(null);
    default:
      return false;
  }
}
