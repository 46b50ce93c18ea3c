// Makes a predicate over documents of a filter, with MongoDB's semantics. The predicate runs once per document of a scan:
// whatever does not depend on the document is decided here. The tests of one value are below, a function per operator.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import { foldCase } from '../../lib/regex/case-folding.ts';
import { compileLinearRegex } from '../../lib/regex/linear-regex.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { ComparisonKind, Filter, FilterTest, FilterTypeName } from '../filter.ts';
import { compareValues, equalValues, typeRank } from './compare.ts';
import { type Container, createFieldReader, parsePath, somePathValue, type ValueTest } from './paths.ts';

type Predicate<T> = (subject: T) => boolean;

/** Turns a test of one value into a predicate over a subject. With `expand`, elements of an array are tested too. */
type Lift<T> = (test: ValueTest, expand: boolean) => Predicate<T>;

/**
 * A predicate that is true for the documents that `filter` matches.
 * Throws LinearRegexError for a pattern that the linear-time engine refuses, which the caller has made sure of.
 */
export function createPredicate(filter: Filter): (document: JsonObject) => boolean {
  return createNodePredicate(filter);
}

function createNodePredicate(filter: Filter): Predicate<Container> {
  if (filter.kind === 'field') {
    return every(filter.tests.map((test) => createTestPredicate(test, liftPath(filter.path))));
  }
  const children = filter.filters.map(createNodePredicate);
  switch (filter.kind) {
    case 'and':
      return every(children);
    case 'or':
      return some(children);
    case 'nor':
      return negate(some(children));
    default:
      return unreachable(filter);
  }
}

function every<T>(predicates: readonly Predicate<T>[]): Predicate<T> {
  const [first, second] = predicates;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (predicates.length === 2) return (subject) => first(subject) && second(subject);
  return (subject) => predicates.every((predicate) => predicate(subject));
}

function some<T>(predicates: readonly Predicate<T>[]): Predicate<T> {
  const [first] = predicates;
  if (predicates.length === 1 && first !== undefined) return first;
  return (subject) => predicates.some((predicate) => predicate(subject));
}

function liftPath(path: string): Lift<Container> {
  const parts = parsePath(path);
  const [part] = parts;
  if (parts.length > 1 || part === undefined) {
    return (test, expand) => {
      const search = { test, expand };
      return (subject) => somePathValue(subject, parts, search);
    };
  }
  const read = createFieldReader(part);
  return (test, expand) => (subject) => {
    const value = read(subject);
    if (expand && Array.isArray(value) && value.some(test)) return true;
    return test(value);
  };
}

const liftValue: Lift<Json | undefined> = (test) => test;

function createTestPredicate<T>(test: FilterTest, lift: Lift<T>): Predicate<T> {
  switch (test.kind) {
    case 'ne':
      return negate(lift(equalTo(test.value), true));
    case 'nin':
      return negate(lift(oneOf(test.values), true));
    case 'not':
      return negate(every(test.tests.map((inner) => createTestPredicate(inner, lift))));
    case 'all':
      if (test.values.length === 0) return () => false;
      return every(test.values.map((value) => lift(equalTo(value), true)));
    case 'exists': {
      const present = lift((value) => value !== undefined, false);
      return test.value ? present : negate(present);
    }
    case 'size':
    case 'elemMatch':
    case 'elemMatchValue':
      return lift(createArrayPredicate(test), false);
    case 'eq':
      return lift(
        test.caseInsensitive === true ? caseInsensitiveEqualTo(test.value) : equalTo(test.value),
        true,
      );
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return lift(comparesTo(test.kind, test.value), true);
    case 'in':
      return lift(oneOf(test.values), true);
    case 'type':
      return lift(hasType(test.names), true);
    case 'regex':
      return lift(matchesPattern(test.pattern, test.flags), true);
  }
}

function negate<T>(predicate: Predicate<T>): Predicate<T> {
  return (subject) => !predicate(subject);
}

type ArrayTest = Extract<FilterTest, { kind: 'size' | 'elemMatch' | 'elemMatchValue' }>;

function createArrayPredicate(test: ArrayTest): ValueTest {
  if (test.kind === 'size') return (value) => Array.isArray(value) && value.length === test.value;
  if (test.kind === 'elemMatch') {
    const matches = createNodePredicate(test.filter);
    return (value) => Array.isArray(value) && value.some((item) => isContainer(item) && matches(item));
  }
  const passes = every(test.tests.map((inner) => createTestPredicate(inner, liftValue)));
  return (value) => Array.isArray(value) && value.some(passes);
}

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null;
}

/** Equality. Null also equals a missing value. */
export function equalTo(operand: Json): ValueTest {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'object') return (value) => equalValues(value, operand);
  return (value) => value === operand;
}

/** Case-insensitive equality of text. Other values are compared exactly. */
export function caseInsensitiveEqualTo(operand: Json): ValueTest {
  if (typeof operand !== 'string') return equalTo(operand);
  const folded = foldCase(operand);
  return (value) =>
    typeof value === 'string' &&
    value.length === folded.length &&
    (value === operand || foldCase(value) === folded);
}

/** Equality with one of the operands, in logarithmic time at most. */
export function oneOf(operands: readonly Json[]): ValueTest {
  const scalars = new Set<Json | undefined>();
  const composites: Json[] = [];
  for (const operand of operands) {
    if (typeof operand === 'object' && operand !== null) composites.push(operand);
    else scalars.add(operand);
  }
  if (scalars.has(null)) scalars.add(undefined);
  if (composites.length === 0) return (value) => scalars.has(value);
  composites.sort(compareValues);
  return (value) => {
    if (typeof value !== 'object' || value === null) return scalars.has(value);
    return contains(composites, value);
  };
}

function contains(sorted: readonly Json[], value: Json): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const difference = compareValues(sorted[middle], value);
    if (difference === 0) return true;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Comparison, which only matches values of one type. Null is `gte` and `lte` null, but not `gt` or `lt`. */
export function comparesTo(kind: ComparisonKind, operand: Json): ValueTest {
  const orEqual = kind === 'gte' || kind === 'lte';
  if (operand === null) return orEqual ? equalTo(null) : () => false;
  const sign = kind === 'gt' || kind === 'gte' ? 1 : -1;
  if (typeof operand === 'number') return orderedNumber(kind, operand);
  const rank = typeRank(operand);
  return (value) => {
    if (typeRank(value) !== rank) return false;
    const difference = compareValues(value, operand) * sign;
    return difference > 0 || (orEqual && difference === 0);
  };
}

function orderedNumber(kind: ComparisonKind, operand: number): ValueTest {
  switch (kind) {
    case 'gt':
      return (value) => typeof value === 'number' && value > operand;
    case 'gte':
      return (value) => typeof value === 'number' && value >= operand;
    case 'lt':
      return (value) => typeof value === 'number' && value < operand;
    case 'lte':
      return (value) => typeof value === 'number' && value <= operand;
    default:
      return unreachable(kind);
  }
}

/** Whether a value has one of the types. A missing value has none. */
export function hasType(names: readonly FilterTypeName[]): ValueTest {
  const wanted = new Set<FilterTypeName | undefined>(names);
  return (value) => wanted.has(typeName(value));
}

function typeName(value: Json | undefined): FilterTypeName | undefined {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'number':
      return 'number';
    case 'boolean':
      return 'bool';
    case 'object':
      return Array.isArray(value) ? 'array' : 'object';
    default:
      return undefined;
  }
}

/** Whether a pattern matches a text. Throws LinearRegexError for a pattern that the engine rejects. */
export function matchesPattern(pattern: string, flags: string): ValueTest {
  const regex = compileLinearRegex(pattern, flags);
  return (value) => typeof value === 'string' && regex.test(value);
}
