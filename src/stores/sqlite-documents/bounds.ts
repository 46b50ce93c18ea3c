// Which stretches of one index key the tests of a path leave. Bytes are ascending here, whatever the key's direction.
import { foldText } from '../../lib/fold.ts';
import type { Json } from '../../lib/json.ts';
import type { Test } from '../filter.ts';
import type { Direction } from '../ports.ts';
import { directed, encodeValue, successor, TAG } from './keys.ts';
import type { Interval } from './plan-types.ts';

export interface KeyBounds {
  /** Ascending, apart from each other. */
  readonly intervals: readonly Interval[];
  /** Every interval holds a single value. */
  readonly points: boolean;
  /** The intervals hold what the tests accept and nothing else. */
  readonly exact: boolean;
}

/** How the key keeps its values. */
export interface KeyTraits {
  /** Text is kept with its case folded. */
  readonly folded: boolean;
  /** Some document has an array there, so one test may hold for one element and the next for another. */
  readonly multikey: boolean;
}

/** A list of values longer than this is no use to an index. */
const MAX_POINTS = 10_000;

const isArray = (value: Json) => Array.isArray(value);

function point(value: Json, folded: boolean): Interval {
  const low = encodeValue(folded && typeof value === 'string' ? foldText(value) : value);
  return { low, high: successor(low) };
}

function pointsOf(test: Test, traits: KeyTraits): KeyBounds | undefined {
  const { folded, multikey } = traits;
  if (test.kind === 'eq') {
    if (isArray(test.value) || (test.fold === true && !folded)) return undefined;
    const exact =
      (test.fold === true || !folded || typeof test.value !== 'string') && isSure(test.value, multikey);
    return { intervals: [point(test.value, folded)], points: true, exact };
  }
  if (test.kind === 'in') {
    if (test.values.length > MAX_POINTS || test.values.some(isArray)) return undefined;
    const exact = test.values.every(
      (value) => isSure(value, multikey) && !(folded && typeof value === 'string'),
    );
    return { intervals: apart(test.values.map((value) => point(value, folded))), points: true, exact };
  }
  if (test.kind === 'all') {
    const [value] = test.values;
    if (value === undefined || isArray(value)) return undefined;
    return { intervals: [point(value, folded)], points: true, exact: false };
  }
  return undefined;
}

/** An array without the field in some element has a null key, though a filter for null may not want it. */
function isSure(value: Json, multikey: boolean): boolean {
  return !multikey || value !== null;
}

function apart(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.toSorted((a, b) => Buffer.compare(a.low, b.low));
  return sorted.filter((interval, at) => at === 0 || !sorted[at - 1]?.low.equals(interval.low));
}

function rangeOf(test: Test, folded: boolean): Interval | undefined {
  if (test.kind === 'regex') return prefixRange(test, folded);
  if (test.kind !== 'gt' && test.kind !== 'gte' && test.kind !== 'lt' && test.kind !== 'lte')
    return undefined;
  const { value } = test;
  if (value === null || typeof value === 'object') return undefined;
  if (folded && typeof value === 'string') return undefined;
  const tag = TAG[typeof value as 'string' | 'number' | 'boolean'];
  const at = encodeValue(value);
  const start = Buffer.from([tag]);
  const end = Buffer.from([tag + 1]);
  if (test.kind === 'gt') return { low: successor(at), high: end };
  if (test.kind === 'gte') return { low: at, high: end };
  return test.kind === 'lt' ? { low: start, high: at } : { low: start, high: successor(at) };
}

/** The literal text that every match of an anchored pattern begins with. */
function literalPrefix(pattern: string): string {
  if (pattern.includes('|')) return '';
  const [literal = ''] = /^\^[\w -]*/.exec(pattern) ?? [];
  const next = pattern[literal.length];
  const repeated = next !== undefined && '*?{+'.includes(next);
  return literal.slice(1, repeated ? -1 : undefined);
}

function prefixRange(test: Extract<Test, { kind: 'regex' }>, folded: boolean): Interval | undefined {
  if (folded || test.flags !== '') return undefined;
  const prefix = literalPrefix(test.pattern);
  if (prefix === '') return undefined;
  const low = encodeValue(prefix).subarray(0, -2);
  return { low, high: successor(low) };
}

function rangesOf(tests: readonly Test[], traits: KeyTraits): KeyBounds | undefined {
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
  return { intervals, points: false, exact };
}

/** The bounds that `tests` put on the one value that all of them are about. */
function boundsOfValue(tests: readonly Test[], traits: KeyTraits): KeyBounds | undefined {
  for (const test of tests) {
    const points = pointsOf(test, traits);
    if (points !== undefined) return { ...points, exact: points.exact && tests.length === 1 };
  }
  return rangesOf(tests, traits);
}

/** The bounds that `tests`, all of one path, put on its key; undefined when they put none. */
export function boundsOf(tests: readonly Test[], traits: KeyTraits): KeyBounds | undefined {
  const bounds = boundsOfValue(tests, traits);
  if (bounds !== undefined) return bounds;
  for (const test of tests) {
    if (test.kind !== 'elemMatchValue') continue;
    // The tests are about one element, so they may be taken together. An `elemMatchValue` among them is about elements
    // of that element, of which the index has no keys.
    const inner = boundsOfValue(test.tests, { ...traits, multikey: false });
    if (inner !== undefined) return { ...inner, exact: false };
  }
  return undefined;
}

/** True when some interval holds the null that stands for a missing value. */
export function holdsNull(bounds: KeyBounds): boolean {
  const key = encodeValue(null);
  return bounds.intervals.some(
    ({ low, high }) => Buffer.compare(low, key) <= 0 && Buffer.compare(key, high) < 0,
  );
}

/** The stretch of whole keys that begin with `prefix` and go on within `interval`. */
export function keyInterval(prefix: Buffer, interval: Interval, direction: Direction): Interval {
  const { low, high } = interval;
  if (direction === 1) return { low: Buffer.concat([prefix, low]), high: Buffer.concat([prefix, high]) };
  return {
    low: Buffer.concat([prefix, successor(directed(high, -1))]),
    high: Buffer.concat([prefix, successor(directed(low, -1))]),
  };
}
