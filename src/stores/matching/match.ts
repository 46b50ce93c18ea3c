// Compiles a filter into a predicate over documents, with MongoDB's semantics. Both compile time and run time
// of the result are for scans: what can be decided once is decided here.
import { foldText } from '../../lib/fold.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { compileLinear } from '../../lib/linear-regex.ts';
import type { Filter, Test, TypeName } from '../filter.ts';
import { compareValues, equalValues, typeRank } from './compare.ts';
import { type Container, createFieldReader, parsePath, somePathValue, type ValueTest } from './paths.ts';

type Predicate<T> = (subject: T) => boolean;

/** Makes a predicate about a subject from a test of one value; `expand` says whether elements of an array count too. */
type Lift<T> = (test: ValueTest, expand: boolean) => Predicate<T>;

/**
 * A predicate that is true for the documents that `filter` matches.
 * Throws a plain Error for a pattern that the linear-time engine refuses: the caller has checked them all.
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

function compileTest<T>(test: Test, lift: Lift<T>): Predicate<T> {
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
    default:
      return lift(compileValueTest(test), true);
  }
}

function negate<T>(predicate: Predicate<T>): Predicate<T> {
  return (subject) => !predicate(subject);
}

type ArrayTest = Extract<Test, { kind: 'size' | 'elemMatch' | 'elemMatchValue' }>;

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

type ValueTestSource = Extract<Test, { kind: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'type' | 'regex' }>;

function compileValueTest(test: ValueTestSource): ValueTest {
  switch (test.kind) {
    case 'eq':
      return test.fold === true && typeof test.value === 'string'
        ? foldedTo(test.value)
        : equalTo(test.value);
    case 'in':
      return oneOf(test.values);
    case 'type':
      return typedAs(test.names);
    case 'regex':
      return matching(test.pattern, test.flags);
    default:
      return ordered(test.kind, test.value);
  }
}

/** Equal to null means null or missing. */
function equalTo(operand: Json): ValueTest {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'object') return (value) => equalValues(value, operand);
  return (value) => value === operand;
}

function foldedTo(operand: string): ValueTest {
  const folded = foldText(operand);
  return (value) =>
    typeof value === 'string' &&
    value.length === folded.length &&
    (value === operand || foldText(value) === folded);
}

function oneOf(operands: readonly Json[]): ValueTest {
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

/** Comparisons hold only between values of one type; null is neither above nor below null, but at least and at most it. */
function ordered(kind: 'gt' | 'gte' | 'lt' | 'lte', operand: Json): ValueTest {
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

function orderedNumber(kind: 'gt' | 'gte' | 'lt' | 'lte', operand: number): ValueTest {
  switch (kind) {
    case 'gt':
      return (value) => typeof value === 'number' && value > operand;
    case 'gte':
      return (value) => typeof value === 'number' && value >= operand;
    case 'lt':
      return (value) => typeof value === 'number' && value < operand;
    default:
      return (value) => typeof value === 'number' && value <= operand;
  }
}

function typedAs(names: readonly TypeName[]): ValueTest {
  const wanted = new Set<TypeName | undefined>(names);
  return (value) => wanted.has(typeName(value));
}

function typeName(value: Json | undefined): TypeName | undefined {
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

function matching(pattern: string, flags: string): ValueTest {
  const regex = compileLinear(pattern, flags);
  return (value) => typeof value === 'string' && regex.test(value);
}
