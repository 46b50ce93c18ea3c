// A second evaluator, written from MongoDB's manual with no thought of speed, to hold against the first.
// It lists everything that a path leads to and then asks each operator about the list.
import type { Json, JsonObject } from '../../../src/lib/json/json.ts';
import type { Filter, FilterTest } from '../../../src/stores/filter.ts';

const MISSING = Symbol('missing');
type Found = Json | typeof MISSING;

const BRACKETS = ['null', 'number', 'string', 'object', 'array', 'bool'];

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function compareOrdered<T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number): number {
  const different = a.findIndex((item, at) => at >= b.length || compare(item, b[at] as T) !== 0);
  if (different === -1) return a.length - b.length;
  return different >= b.length ? 1 : compare(a[different] as T, b[different] as T);
}

/** The order of the manual's "Comparison/Sort Order". */
export function naiveCompare(a: Json, b: Json): number {
  const bracket = BRACKETS.indexOf(typeOf(a)) - BRACKETS.indexOf(typeOf(b));
  if (bracket !== 0) return bracket;
  switch (typeOf(a)) {
    case 'string':
      return compareOrdered([...String(a)], [...String(b)], (x, y) => x.codePointAt(0)! - y.codePointAt(0)!);
    case 'object':
      return compareOrdered(Object.entries(a as JsonObject), Object.entries(b as JsonObject), (x, y) => {
        const types = BRACKETS.indexOf(typeOf(x[1])) - BRACKETS.indexOf(typeOf(y[1]));
        return types || naiveCompare(x[0], y[0]) || naiveCompare(x[1], y[1]);
      });
    case 'array':
      return compareOrdered(a as readonly Json[], b as readonly Json[], naiveCompare);
    default:
      return Number(a) - Number(b);
  }
}

interface End {
  readonly value: Found;
  /** An element named by its position is not looked into. */
  readonly closed: boolean;
}

/** Everything at the end of a path; an array itself, and not what is in it. */
function reach(value: Json, path: readonly string[], closed = false): End[] {
  const [head, ...rest] = path;
  if (head === undefined) return [{ value, closed }];
  if (Array.isArray(value)) {
    const objects = (value as Json[]).filter((item) => typeOf(item) === 'object');
    const implicit = objects.flatMap((item) => reach(item, path));
    const named = Object.entries(value as Json[]).find(([key]) => key === head);
    return named === undefined ? implicit : [...implicit, ...reachFromElement(named[1], rest)];
  }
  const field = typeOf(value) === 'object' ? entry(value, head) : undefined;
  return field === undefined ? [{ value: MISSING, closed }] : reach(field, rest);
}

function reachFromElement(element: Json, rest: readonly string[]): End[] {
  if (rest.length === 0) return [{ value: element, closed: true }];
  return typeof element === 'object' && element !== null ? reach(element, rest) : [];
}

function entry(container: Json, name: string): Json | undefined {
  return Object.entries(container as object).find(([key]) => key === name)?.[1];
}

/** The root may be an array, which counts as an object then. */
function endsOf(root: Json, path: string): End[] {
  const [head = '', ...rest] = path.split('.');
  const field = entry(root, head);
  return field === undefined ? [{ value: MISSING, closed: false }] : reach(field, rest);
}

function holds(test: FilterTest, ends: readonly Found[], looked: readonly Found[]): boolean {
  const any = (passes: (value: Found) => boolean): boolean => looked.some(passes);
  const equals = (value: Found, operand: Json): boolean =>
    value === MISSING ? operand === null : naiveCompare(value, operand) === 0;
  switch (test.kind) {
    case 'eq':
      return any((value) => equals(value, test.value));
    case 'ne':
      return !any((value) => equals(value, test.value));
    case 'in':
      return any((value) => test.values.some((operand) => equals(value, operand)));
    case 'nin':
      return !any((value) => test.values.some((operand) => equals(value, operand)));
    case 'all':
      return test.values.length > 0 && test.values.every((operand) => any((value) => equals(value, operand)));
    case 'exists':
      return ends.some((value) => value !== MISSING) === test.value;
    case 'size':
      return ends.some((value) => Array.isArray(value) && value.length === test.value);
    case 'type':
      return any((value) => value !== MISSING && test.names.some((name) => name === typeOf(value)));
    case 'regex':
      return any(
        (value) => typeof value === 'string' && new RegExp(test.pattern, `${test.flags}u`).test(value),
      );
    case 'not':
      return !test.tests.every((inner) => holds(inner, ends, looked));
    case 'elemMatch':
      return ends.some(
        (value) =>
          Array.isArray(value) &&
          (value as Json[]).some(
            (item) => typeof item === 'object' && item !== null && naiveMatch(test.filter, item),
          ),
      );
    case 'elemMatchValue':
      return ends.some(
        (value) =>
          Array.isArray(value) &&
          (value as Json[]).some((item) => test.tests.every((inner) => holds(inner, [item], [item]))),
      );
    default:
      return any((value) => inOrder(test.kind, value, test.value as Json));
  }
}

function inOrder(kind: string, value: Found, operand: Json): boolean {
  const present = value === MISSING ? null : value;
  if (typeOf(present) !== typeOf(operand)) return false;
  const difference = naiveCompare(present, operand);
  if (difference === 0) return kind === 'gte' || kind === 'lte';
  return difference > 0 ? kind === 'gt' || kind === 'gte' : kind === 'lt' || kind === 'lte';
}

/** True when the document, or an array taken for one, matches. */
export function naiveMatch(filter: Filter, document: Json): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((inner) => naiveMatch(inner, document));
    case 'or':
      return filter.filters.some((inner) => naiveMatch(inner, document));
    case 'nor':
      return !filter.filters.some((inner) => naiveMatch(inner, document));
    default: {
      const ends = endsOf(document, filter.path);
      const looked = ends.flatMap(({ value, closed }): Found[] =>
        Array.isArray(value) && !closed ? [...(value as Json[]), value] : [value],
      );
      const values = ends.map(({ value }) => value);
      return filter.tests.every((test) => holds(test, values, looked));
    }
  }
}
