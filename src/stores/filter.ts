// The filter language between the domain and its stores: checked, coerced, free of product rules.
// Semantics are MongoDB's: a path walks into arrays, a test on an array also looks at its elements,
// comparisons stay within one type bracket, and text orders by code point.
import type { Json } from '../lib/json/json.ts';

export type Filter =
  /** All of, any of, none of. `and` of nothing matches everything. */
  | { readonly kind: 'and' | 'or' | 'nor'; readonly filters: readonly Filter[] }
  /** `path` is a field name or a dotted path. Every test must hold. */
  | { readonly kind: 'field'; readonly path: string; readonly tests: readonly FilterTest[] };

export type FilterTypeName = 'string' | 'number' | 'object' | 'array' | 'bool' | 'null';

export type ComparisonKind = 'gt' | 'gte' | 'lt' | 'lte';

export type FilterTest =
  /** `caseInsensitive` ignores case (Unicode simple case folding per code point); it is only set when `value` is text. */
  | { readonly kind: 'eq'; readonly value: Json; readonly caseInsensitive?: true }
  | { readonly kind: 'ne'; readonly value: Json }
  | { readonly kind: ComparisonKind; readonly value: Json }
  | { readonly kind: 'in'; readonly values: readonly Json[] }
  | { readonly kind: 'nin' | 'all'; readonly values: readonly Json[] }
  | { readonly kind: 'exists'; readonly value: boolean }
  | { readonly kind: 'size'; readonly value: number }
  | { readonly kind: 'type'; readonly names: readonly FilterTypeName[] }
  /** `pattern` is known to compile in the linear-time engine of `lib/regex/linear-regex.ts`. `flags` holds some of i, m, s. */
  | { readonly kind: 'regex'; readonly pattern: string; readonly flags: string }
  /** Holds where not all of `tests` hold: missing fields included. */
  | { readonly kind: 'not'; readonly tests: readonly FilterTest[] }
  /** Some element, an object or array itself, matches `filter`. */
  | { readonly kind: 'elemMatch'; readonly filter: Filter }
  /** Some element passes every one of `tests`. */
  | { readonly kind: 'elemMatchValue'; readonly tests: readonly FilterTest[] };

/** A test without tests or filters in it. */
export type PlainTest = Exclude<FilterTest, { kind: 'not' | 'elemMatch' | 'elemMatchValue' }>;

/** The plain tests of a filter, wherever they are in it, each with its path from the document; `within`: the path of the filter. */
export function* plainTestsOf(
  filter: Filter,
  within?: string,
): Generator<readonly [path: string, test: PlainTest]> {
  if (filter.kind === 'field') {
    yield* plainTestsIn(filter.tests, within === undefined ? filter.path : `${within}.${filter.path}`);
  } else for (const part of filter.filters) yield* plainTestsOf(part, within);
}

function* plainTestsIn(
  tests: readonly FilterTest[],
  path: string,
): Generator<readonly [path: string, test: PlainTest]> {
  for (const test of tests) {
    if (test.kind === 'not' || test.kind === 'elemMatchValue') yield* plainTestsIn(test.tests, path);
    else if (test.kind === 'elemMatch') yield* plainTestsOf(test.filter, path);
    else yield [path, test];
  }
}

/** The same filter with each plain test changed. */
export function mapPlainTests(filter: Filter, change: (test: PlainTest) => FilterTest): Filter {
  if (filter.kind !== 'field')
    return { ...filter, filters: filter.filters.map((part) => mapPlainTests(part, change)) };
  const mapTest = (test: FilterTest): FilterTest => {
    if (test.kind === 'not' || test.kind === 'elemMatchValue')
      return { ...test, tests: test.tests.map(mapTest) };
    return test.kind === 'elemMatch' ? { ...test, filter: mapPlainTests(test.filter, change) } : change(test);
  };
  return { ...filter, tests: filter.tests.map(mapTest) };
}

/** Matches every document. */
export const MATCH_ALL: Filter = { kind: 'and', filters: [] };

/** Joins filters by `and`, without those that are absent or match everything. */
export function joinFilters(filters: readonly (Filter | null | undefined)[]): Filter {
  const present: Filter[] = [];
  for (const filter of filters) if (filter && filter !== MATCH_ALL) present.push(filter);
  const [only] = present;
  if (only === undefined) return MATCH_ALL;
  return present.length === 1 ? only : { kind: 'and', filters: present };
}

/** Matches the document with this id. */
export function filterById(id: string): Filter {
  return { kind: 'field', path: '_id', tests: [{ kind: 'eq', value: id.toLowerCase() }] };
}

/** Matches the documents with these ids, which must be as they are stored: in lower case. */
export function filterByIds(ids: readonly Json[]): Filter {
  return { kind: 'field', path: '_id', tests: [{ kind: 'in', values: ids }] };
}

/** Matches the documents after this id: the next page of a walk over a whole collection. */
export function filterAfterId(id: string): Filter {
  return { kind: 'field', path: '_id', tests: [{ kind: 'gt', value: id }] };
}
