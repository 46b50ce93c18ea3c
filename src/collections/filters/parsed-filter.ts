// A filter that has been checked but may still contain conditions on documents of other collections.
import { unreachable } from '../../lib/unreachable.ts';
import type { Filter, FilterTest } from '../../stores/filter.ts';
import type { Collection } from '../model/collection.ts';

export type LogicalOperator = 'and' | 'or' | 'nor';

/** Matches where the field at `path` refers to a document of `target` that matches `filter`. */
export interface ReferenceCondition {
  readonly kind: 'reference';
  /** The collection that holds the Reference field `path`. */
  readonly source: Collection;
  readonly path: string;
  readonly target: Collection;
  readonly filter: ParsedFilter;
  /** Also matches a field that is no list and is missing, or names a document that does not exist. */
  readonly matchesMissing: boolean;
  /** Matches elements of lists only. */
  readonly elementsOnly: boolean;
}

interface UnresolvedGroup {
  readonly kind: 'group';
  readonly operator: LogicalOperator;
  readonly filters: readonly ParsedFilter[];
}

export type ParsedFilter = Filter | UnresolvedGroup | ReferenceCondition;

/** A test of a path. `refersTo` tests one element of a Reference field. */
export type ParsedTest =
  | FilterTest
  | { readonly kind: 'refersTo'; readonly condition: ReferenceCondition }
  | { readonly kind: 'not'; readonly tests: readonly ParsedTest[] };

/** A test that holds for a whole path as soon as it holds for one value at its end. */
export type AtomicTest = Exclude<ParsedTest, { readonly kind: 'ne' | 'nin' | 'not' | 'all' }>;

/** True for a filter without conditions on other collections: a store can evaluate it. */
export function isResolved(filter: ParsedFilter): filter is Filter {
  return filter.kind !== 'group' && filter.kind !== 'reference';
}

/** True for tests that a store can evaluate. */
export function areReferencesResolved(tests: readonly ParsedTest[]): tests is readonly FilterTest[] {
  return tests.every(
    (test) => test.kind !== 'refersTo' && (test.kind !== 'not' || areReferencesResolved(test.tests)),
  );
}

/** Joins filters. A single one under `and` is returned as it is. */
export function joinParsedFilters(operator: LogicalOperator, filters: readonly ParsedFilter[]): ParsedFilter {
  const [only] = filters;
  if (operator === 'and' && filters.length === 1 && only !== undefined) return only;
  return filters.every(isResolved) ? { kind: operator, filters } : { kind: 'group', operator, filters };
}

/**
 * Splits `tests` into atomic ones and joins what `createFilter` makes of each, so that each can be evaluated on documents
 * of another collection. Negations stay outside: what must hold for no element of a list cannot be tested on one element.
 */
export function distributeTests(
  tests: readonly ParsedTest[],
  createFilter: (test: AtomicTest) => ParsedFilter,
): ParsedFilter {
  return joinParsedFilters(
    'and',
    tests.map((test) => distributeTest(test, createFilter)),
  );
}

function distributeTest(test: ParsedTest, createFilter: (test: AtomicTest) => ParsedFilter): ParsedFilter {
  switch (test.kind) {
    case 'ne':
      return joinParsedFilters('nor', [createFilter({ kind: 'eq', value: test.value })]);
    case 'nin':
      return joinParsedFilters('nor', [createFilter({ kind: 'in', values: test.values })]);
    case 'not':
      return joinParsedFilters('nor', [distributeTests(test.tests, createFilter)]);
    case 'exists':
      if (test.value) return createFilter(test);
      return joinParsedFilters('nor', [createFilter({ kind: 'exists', value: true })]);
    case 'all':
      // `$all: []` matches nothing.
      if (test.values.length === 0) return joinParsedFilters('or', []);
      return joinParsedFilters(
        'and',
        test.values.map((value) => createFilter({ kind: 'eq', value })),
      );
    // Each of these says that there is a value which passes.
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'in':
    case 'size':
    case 'type':
    case 'regex':
    case 'elemMatch':
    case 'elemMatchValue':
    case 'refersTo':
      return createFilter(test);
    default:
      return unreachable(test);
  }
}

/** True for a test that holds where the path ends before its last name. */
export function matchesMissing(test: AtomicTest): boolean {
  switch (test.kind) {
    case 'eq':
    case 'gte':
    case 'lte':
      return test.value === null;
    case 'in':
      return test.values.includes(null);
    case 'gt':
    case 'lt':
    case 'exists':
    case 'size':
    case 'type':
    case 'regex':
    case 'elemMatch':
    case 'elemMatchValue':
    case 'refersTo':
      return false;
    default:
      return unreachable(test);
  }
}
