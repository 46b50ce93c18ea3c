// Compiles a filter into a predicate over documents, with MongoDB's semantics. The predicate runs once per document of a scan:
// whatever does not depend on the document is decided here.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Filter, FilterTest } from '../filter.ts';
import { somePathValue, type ValueTest } from './path-search.ts';
import { type Container, createFieldReader, parsePath } from './paths.ts';
import {
  caseInsensitiveEqualTo,
  comparesTo,
  equalTo,
  hasType,
  matchesPattern,
  oneOf,
} from './value-tests.ts';

type Predicate<T> = (subject: T) => boolean;

/** Turns a test of one value into a predicate over a subject. With `expand`, elements of an array are tested too. */
type Lift<T> = (test: ValueTest, expand: boolean) => Predicate<T>;

/**
 * A predicate that is true for the documents that `filter` matches.
 * Throws LinearRegexError for a pattern that the linear-time engine refuses, which the caller has made sure of.
 */
export function compileFilter(filter: Filter): (document: JsonObject) => boolean {
  return compileNode(filter);
}

function compileNode(filter: Filter): Predicate<Container> {
  if (filter.kind === 'field') {
    return every(filter.tests.map((test) => compileTest(test, liftPath(filter.path))));
  }
  const children = filter.filters.map(compileNode);
  if (filter.kind === 'and') return every(children);
  const any = some(children);
  return filter.kind === 'or' ? any : (subject) => !any(subject);
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

function compileTest<T>(test: FilterTest, lift: Lift<T>): Predicate<T> {
  switch (test.kind) {
    case 'ne':
      return negate(lift(equalTo(test.value), true));
    case 'nin':
      return negate(lift(oneOf(test.values), true));
    case 'not':
      return negate(every(test.tests.map((inner) => compileTest(inner, lift))));
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
      return lift(compileArrayTest(test), false);
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

function compileArrayTest(test: ArrayTest): ValueTest {
  if (test.kind === 'size') return (value) => Array.isArray(value) && value.length === test.value;
  if (test.kind === 'elemMatch') {
    const matches = compileNode(test.filter);
    return (value) => Array.isArray(value) && value.some((item) => isContainer(item) && matches(item));
  }
  const passes = every(test.tests.map((inner) => compileTest(inner, liftValue)));
  return (value) => Array.isArray(value) && value.some(passes);
}

function isContainer(value: Json): value is Container {
  return typeof value === 'object' && value !== null;
}
