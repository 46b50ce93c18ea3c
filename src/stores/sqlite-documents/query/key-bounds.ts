// Which stretches of one index key the tests of a path leave. Bytes are ascending here, whatever the key's direction.
import { foldCase } from '../../../lib/case-folding.ts';
import type { Json } from '../../../lib/json/json.ts';
import type { FilterTest } from '../../filter.ts';
import type { Direction } from '../../ports.ts';
import { encodeValue, inDirection, prefixSuccessor, TYPE_TAG } from '../indexes/key-encoding.ts';
import type { KeyRange } from './plan-types.ts';

export interface KeyBounds {
  /** Ascending, apart from each other. */
  readonly ranges: readonly KeyRange[];
  /** Every interval holds a single value. */
  readonly points: boolean;
  /** The intervals hold what the tests accept and nothing else. */
  readonly exact: boolean;
}

/** How the key keeps its values. */
export interface KeyOptions {
  /** Text is kept with its case folded. */
  readonly folded: boolean;
  /** Some document has an array there, so one test may hold for one element and the next for another. */
  readonly multikey: boolean;
}

/** A list of values longer than this is no use to an index. */
const MAX_POINTS = 10_000;

const isArray = (value: Json) => Array.isArray(value);

function pointRange(value: Json, folded: boolean): KeyRange {
  const low = encodeValue(folded && typeof value === 'string' ? foldCase(value) : value);
  return { low, high: prefixSuccessor(low) };
}

function pointBoundsOf(test: FilterTest, traits: KeyOptions): KeyBounds | undefined {
  const { folded, multikey } = traits;
  if (test.kind === 'eq') {
    if (isArray(test.value) || (test.fold === true && !folded)) return undefined;
    const exact =
      (test.fold === true || !folded || typeof test.value !== 'string') && isExactFor(test.value, multikey);
    return { ranges: [pointRange(test.value, folded)], points: true, exact };
  }
  if (test.kind === 'in') {
    if (test.values.length > MAX_POINTS || test.values.some(isArray)) return undefined;
    const exact = test.values.every(
      (value) => isExactFor(value, multikey) && !(folded && typeof value === 'string'),
    );
    return {
      ranges: distinctRanges(test.values.map((value) => pointRange(value, folded))),
      points: true,
      exact,
    };
  }
  if (test.kind === 'all') {
    const [value] = test.values;
    if (value === undefined || isArray(value)) return undefined;
    return { ranges: [pointRange(value, folded)], points: true, exact: false };
  }
  return undefined;
}

/** An array without the field in some element has a null key, though a filter for null may not want it. */
function isExactFor(value: Json, multikey: boolean): boolean {
  return !multikey || value !== null;
}

function distinctRanges(intervals: readonly KeyRange[]): readonly KeyRange[] {
  const sorted = intervals.toSorted((a, b) => Buffer.compare(a.low, b.low));
  return sorted.filter((interval, at) => at === 0 || !sorted[at - 1]?.low.equals(interval.low));
}

function rangeOf(test: FilterTest, folded: boolean): KeyRange | undefined {
  if (test.kind === 'regex') return patternRange(test, folded);
  if (test.kind !== 'gt' && test.kind !== 'gte' && test.kind !== 'lt' && test.kind !== 'lte')
    return undefined;
  const { value } = test;
  if (value === null || typeof value === 'object') return undefined;
  if (folded && typeof value === 'string') return undefined;
  const tag = TYPE_TAG[typeof value as 'string' | 'number' | 'boolean'];
  const at = encodeValue(value);
  const start = Buffer.from([tag]);
  const end = Buffer.from([tag + 1]);
  if (test.kind === 'gt') return { low: prefixSuccessor(at), high: end };
  if (test.kind === 'gte') return { low: at, high: end };
  return test.kind === 'lt' ? { low: start, high: at } : { low: start, high: prefixSuccessor(at) };
}

/** The literal text that every match of an anchored pattern begins with. */
function literalPrefix(pattern: string): string {
  if (pattern.includes('|')) return '';
  const [literal = ''] = /^\^[\w -]*/.exec(pattern) ?? [];
  const next = pattern[literal.length];
  const repeated = next !== undefined && '*?{+'.includes(next);
  return literal.slice(1, repeated ? -1 : undefined);
}

function patternRange(test: Extract<FilterTest, { kind: 'regex' }>, folded: boolean): KeyRange | undefined {
  if (folded || test.flags !== '') return undefined;
  const prefix = literalPrefix(test.pattern);
  if (prefix === '') return undefined;
  const low = encodeValue(prefix).subarray(0, -2);
  return { low, high: prefixSuccessor(low) };
}

function rangeBoundsOf(tests: readonly FilterTest[], traits: KeyOptions): KeyBounds | undefined {
  const found = tests.flatMap((test) => {
    const interval = rangeOf(test, traits.folded);
    return interval === undefined ? [] : [{ interval, sure: test.kind !== 'regex' }];
  });
  const [first] = found;
  if (first === undefined) return undefined;
  const used = traits.multikey ? [first] : found;
  let { low, high } = first.interval;
  for (const { interval } of used) {
    if (Buffer.compare(interval.low, low) > 0) low = interval.low;
    if (Buffer.compare(interval.high, high) < 0) high = interval.high;
  }
  const intervals = Buffer.compare(low, high) < 0 ? [{ low, high }] : [];
  const exact = used.length === tests.length && used.every((range) => range.sure);
  return { ranges: intervals, points: false, exact };
}

/** The bounds that `tests` put on the one value that all of them are about. */
function valueBoundsOf(tests: readonly FilterTest[], traits: KeyOptions): KeyBounds | undefined {
  for (const test of tests) {
    const points = pointBoundsOf(test, traits);
    if (points !== undefined) return { ...points, exact: points.exact && tests.length === 1 };
  }
  return rangeBoundsOf(tests, traits);
}

/** The bounds that `tests`, all of one path, put on its key; undefined when they put none. */
export function keyBoundsOf(tests: readonly FilterTest[], traits: KeyOptions): KeyBounds | undefined {
  const bounds = valueBoundsOf(tests, traits);
  if (bounds !== undefined) return bounds;
  for (const test of tests) {
    if (test.kind !== 'elemMatchValue') continue;
    // The tests are about one element, so they may be taken together. An `elemMatchValue` among them is about elements
    // of that element, of which the index has no keys.
    const inner = valueBoundsOf(test.tests, { ...traits, multikey: false });
    if (inner !== undefined) return { ...inner, exact: false };
  }
  return undefined;
}

/** True when some interval holds the null that stands for a missing value. */
export function includesNull(bounds: KeyBounds): boolean {
  const key = encodeValue(null);
  return bounds.ranges.some(
    ({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0,
  );
}

/** The stretch of whole keys that begin with `prefix` and go on within `interval`. */
export function prefixRange(prefix: Buffer, interval: KeyRange, direction: Direction): KeyRange {
  const { low, high } = interval;
  if (direction === 1) return { low: Buffer.concat([prefix, low]), high: Buffer.concat([prefix, high]) };
  return {
    low: Buffer.concat([prefix, prefixSuccessor(inDirection(high, -1))]),
    high: Buffer.concat([prefix, prefixSuccessor(inDirection(low, -1))]),
  };
}
