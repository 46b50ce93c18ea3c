// Turns the tests of one path into ranges of encoded values. Ranges are ascending here, whatever the direction of the key.

import type { Json } from '../../../lib/json/json.ts';
import { unreachable } from '../../../lib/unreachable.ts';
import type { ComparisonKind, FilterTest } from '../../filter.ts';
import type { Direction } from '../../ports.ts';
import { encodeValue, inDirection, prefixSuccessor, TYPE_TAG } from '../indexes/index-keys.ts';

/** Keys from `low` to below `high`, compared as bytes. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

export interface KeyBounds {
  /** Ascending and disjoint. */
  readonly ranges: readonly KeyRange[];
  /** Every range contains a single value. */
  readonly points: boolean;
  /** The ranges contain exactly the values that the tests accept. */
  readonly exact: boolean;
}

/** What the key holds. */
export interface KeyOptions {
  /** Some document has an array there, so two tests may pass for two different elements. */
  readonly multikey: boolean;
}

/** A list of more values is not looked up in an index. */
const MAX_POINTS = 10_000;

const isArray = (value: Json) => Array.isArray(value);

function pointRange(value: Json): KeyRange {
  const low = encodeValue(value);
  return { low, high: prefixSuccessor(low) };
}

function pointBoundsOf(test: FilterTest, { multikey }: KeyOptions): KeyBounds | undefined {
  switch (test.kind) {
    case 'eq':
      if (isArray(test.value) || test.caseInsensitive === true) return undefined;
      return { ranges: [pointRange(test.value)], points: true, exact: isExactFor(test.value, multikey) };
    case 'in': {
      if (test.values.length > MAX_POINTS || test.values.some(isArray)) return undefined;
      const exact = test.values.every((value) => isExactFor(value, multikey));
      return { ranges: distinctRanges(test.values.map(pointRange)), points: true, exact };
    }
    case 'all': {
      const [value] = test.values;
      if (value === undefined || isArray(value)) return undefined;
      return { ranges: [pointRange(value)], points: true, exact: false };
    }
    case 'ne':
    case 'nin':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'exists':
    case 'size':
    case 'type':
    case 'regex':
    case 'not':
    case 'elemMatch':
    case 'elemMatchValue':
      return undefined;
    default:
      return unreachable(test);
  }
}

/** An array element without the field has a null row, although a filter for null may not match the document. */
function isExactFor(value: Json, multikey: boolean): boolean {
  return !multikey || value !== null;
}

function distinctRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
  const sorted = ranges.toSorted((a, b) => Buffer.compare(a.low, b.low));
  return sorted.filter((range, at) => at === 0 || !sorted[at - 1]?.low.equals(range.low));
}

function rangeOf(test: FilterTest): KeyRange | undefined {
  switch (test.kind) {
    case 'regex':
      return patternRange(test);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparedRange(test.kind, test.value);
    case 'eq':
    case 'ne':
    case 'in':
    case 'nin':
    case 'all':
    case 'exists':
    case 'size':
    case 'type':
    case 'not':
    case 'elemMatch':
    case 'elemMatchValue':
      return undefined;
    default:
      return unreachable(test);
  }
}

function comparedRange(kind: ComparisonKind, value: Json): KeyRange | undefined {
  if (value === null || typeof value === 'object') return undefined;
  const tag = TYPE_TAG[typeof value as 'string' | 'number' | 'boolean'];
  const at = encodeValue(value);
  const start = Buffer.from([tag]);
  const end = Buffer.from([tag + 1]);
  switch (kind) {
    case 'gt':
      return { low: prefixSuccessor(at), high: end };
    case 'gte':
      return { low: at, high: end };
    case 'lt':
      return { low: start, high: at };
    case 'lte':
      return { low: start, high: prefixSuccessor(at) };
    default:
      return unreachable(kind);
  }
}

/** Returns the literal prefix of an anchored pattern. */
function literalPrefix(pattern: string): string {
  if (pattern.includes('|')) return '';
  const [literal = ''] = /^\^[\w -]*/.exec(pattern) ?? [];
  const next = pattern[literal.length];
  const repeated = next !== undefined && '*?{+'.includes(next);
  return literal.slice(1, repeated ? -1 : undefined);
}

function patternRange(test: Extract<FilterTest, { kind: 'regex' }>): KeyRange | undefined {
  if (test.flags !== '') return undefined;
  const prefix = literalPrefix(test.pattern);
  if (prefix === '') return undefined;
  const low = encodeValue(prefix).subarray(0, -2);
  return { low, high: prefixSuccessor(low) };
}

function rangeBoundsOf(tests: readonly FilterTest[], options: KeyOptions): KeyBounds | undefined {
  const found = tests.flatMap((test) => {
    const range = rangeOf(test);
    return range === undefined ? [] : [{ range, isExact: test.kind !== 'regex' }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const used = options.multikey ? [first] : found;
  let { low, high } = first.range;
  for (const { range } of used) {
    if (Buffer.compare(range.low, low) > 0) low = range.low;
    if (Buffer.compare(range.high, high) < 0) high = range.high;
  }
  const ranges = Buffer.compare(low, high) < 0 ? [{ low, high }] : [];
  const exact = used.length === tests.length && used.every(({ isExact }) => isExact);
  return { ranges, points: false, exact };
}

/** Returns the bounds that `tests` put on a single value. */
function valueBoundsOf(tests: readonly FilterTest[], options: KeyOptions): KeyBounds | undefined {
  for (const test of tests) {
    const points = pointBoundsOf(test, options);
    if (points !== undefined) return { ...points, exact: points.exact && tests.length === 1 };
  }
  return rangeBoundsOf(tests, options);
}

/** Returns the bounds that the tests of one path put on its key; undefined if they put none. */
export function keyBoundsOf(tests: readonly FilterTest[], options: KeyOptions): KeyBounds | undefined {
  const bounds = valueBoundsOf(tests, options);
  if (bounds !== undefined) return bounds;
  for (const test of tests) {
    if (test.kind !== 'elemMatchValue') continue;
    // All tests apply to one element, so their ranges may be intersected. A nested `elemMatchValue` applies to elements of
    // that element, which the index does not contain.
    const inner = valueBoundsOf(test.tests, { ...options, multikey: false });
    if (inner !== undefined) return { ...inner, exact: false };
  }
  return undefined;
}

/** Whether a range contains null, which also stands for a missing value. */
export function includesNull(bounds: KeyBounds): boolean {
  const key = encodeValue(null);
  return bounds.ranges.some(
    ({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0,
  );
}

/** The range of whole keys that begin with `prefix` and continue within `range`. */
export function prefixRange(prefix: Buffer, range: KeyRange, direction: Direction): KeyRange {
  const { low, high } = range;
  if (direction === 1) return { low: Buffer.concat([prefix, low]), high: Buffer.concat([prefix, high]) };
  return {
    low: Buffer.concat([prefix, prefixSuccessor(inDirection(high, -1))]),
    high: Buffer.concat([prefix, prefixSuccessor(inDirection(low, -1))]),
  };
}
