// What one index can do for a query: the stretches of keys to read, and whether their order is the one asked for.
import { parsePath } from '../../matching/paths.ts';
import type { Direction, IndexKey, Sort } from '../../ports.ts';
import type { IndexEntry } from '../data-file/catalogue.ts';
import { inDirection, prefixSuccessor } from '../indexes/key-encoding.ts';
import type { Conjunction } from './conjunction.ts';
import { includesNull, type KeyBounds, keyBoundsOf, prefixRange } from './key-bounds.ts';
import type { IndexAccess, KeyRange, Plan } from './plan-types.ts';

export interface IndexPlan extends Plan {
  readonly access: IndexAccess;
  /** How much the filter narrows the index; 0 when it is read from end to end. */
  readonly selectivity: number;
}

/** More stretches than this are not made by multiplying lists. */
const MAX_RANGES = 2000;

export const FULL_RANGE: KeyRange = { low: Buffer.from([0]), high: Buffer.from([0xff]) };

interface BoundKey {
  readonly key: IndexKey;
  readonly at: number;
  readonly bounds: KeyBounds | undefined;
  readonly multikey: boolean;
  readonly foldedKey: boolean;
}

/** A filter may take such a part for a position in an array, which an index does not keep. */
const hasPosition = (path: string) => parsePath(path).some((part) => part.position >= 0);

function boundKeys(conjunction: Conjunction, index: IndexEntry, folded: boolean): readonly BoundKey[] {
  return index.definition.keys.map((key, at) => {
    const tests = conjunction.tests.get(key.path);
    const foldedKey = folded && key.fold;
    const multikey = (index.multikey & (1 << at)) !== 0;
    const usable = tests !== undefined && !hasPosition(key.path);
    const bounds = usable ? keyBoundsOf(tests, { folded: foldedKey, multikey }) : undefined;
    return { key, at, bounds, multikey, foldedKey };
  });
}

interface BoundRanges {
  readonly ranges: readonly KeyRange[];
  /** How many keys, from the first on, are bound. */
  readonly used: number;
}

/** Equality on the first keys, then at most one range. */
function rangesOfKeys(keys: readonly BoundKey[]): BoundRanges {
  let prefixes: readonly Buffer[] = [Buffer.alloc(0)];
  let used = 0;
  for (const part of keys) {
    const { key, bounds } = part;
    if (bounds === undefined || sharesArray(part, keys)) break;
    if (used > 0 && prefixes.length * bounds.ranges.length > MAX_RANGES) break;
    used += 1;
    if (!bounds.points) {
      const last = prefixes.flatMap((prefix) =>
        bounds.ranges.map((interval) => prefixRange(prefix, interval, key.direction)),
      );
      return { ranges: sortRanges(last), used };
    }
    prefixes = prefixes.flatMap((prefix) =>
      bounds.ranges.map(({ low }) => Buffer.concat([prefix, inDirection(low, key.direction)])),
    );
  }
  if (used === 0) return { ranges: [FULL_RANGE], used };
  return { ranges: sortRanges(prefixes.map((low) => ({ low, high: prefixSuccessor(low) }))), used };
}

const rootOf = (path: string) => path.split('.', 1)[0];

/** Entries hold what one element has, while the tests of two paths may hold for two elements of one array. */
function sharesArray(part: BoundKey, keys: readonly BoundKey[]): boolean {
  if (!part.multikey) return false;
  const root = rootOf(part.key.path);
  return keys.slice(0, part.at).some((other) => other.multikey && rootOf(other.key.path) === root);
}

function sortRanges(intervals: readonly KeyRange[]): readonly KeyRange[] {
  return intervals.length < 2 ? intervals : intervals.toSorted((a, b) => Buffer.compare(a.low, b.low));
}

const isConstant = ({ bounds, foldedKey }: BoundKey) =>
  bounds?.points === true && bounds.ranges.length === 1 && !foldedKey;

/** The sort without what `_id` makes pointless, and the direction of the ids among equals. */
function normalizeSort(sort: Sort): { readonly keys: Sort; readonly ids: Direction } {
  const at = sort.findIndex(([path]) => path === '_id');
  const keys = at < 0 ? sort : sort.slice(0, at);
  return { keys, ids: (at < 0 ? sort.at(-1) : sort[at])?.[1] ?? 1 };
}

/** Whether to read backwards for the order of `sort`; undefined when neither way gives it. */
function readingOrder(keys: readonly BoundKey[], used: number, sort: Sort): boolean | undefined {
  const wanted = normalizeSort(sort);
  const isFixed = (part: BoundKey) => part.at < used && isConstant(part) && !part.multikey;
  const fixed = new Set(keys.filter(isFixed).map((part) => part.key.path));
  const rest = wanted.keys.filter(
    ([path], at) => !fixed.has(path) && wanted.keys.findIndex(([other]) => other === path) === at,
  );
  const isSkipped = (part: BoundKey) =>
    part.at < used && part.bounds?.points === true && part.bounds.ranges.length === 1;
  const free = keys.filter((part) => !isSkipped(part));
  if (free.length !== rest.length) return undefined;
  const idDirection = keys.at(-1)?.key.direction ?? 1;
  const turns = free.map((part, at) =>
    rest[at]?.[0] === part.key.path ? rest[at][1] * part.key.direction : 0,
  );
  turns.push(wanted.ids * idDirection);
  const [turn] = turns;
  if (turn === 0 || turns.some((other) => other !== turn)) return undefined;
  if (free.some((part) => part.foldedKey)) return undefined;
  return isOrderReliable(keys, free, used) ? turn === -1 : undefined;
}

/** An array is sorted by its least element, even where the filter asks for another: then bounds would mislead. */
function isOrderReliable(keys: readonly BoundKey[], free: readonly BoundKey[], used: number): boolean {
  if (!free.some((part) => part.multikey)) return true;
  return !keys.some((part) => part.at < used && part.multikey);
}

function selectivityOf(keys: readonly BoundKey[], used: number): number {
  return keys.slice(0, used).reduce((sum, { bounds }) => {
    if (bounds?.points === true) return sum + (bounds.ranges.length === 1 ? 100 : 80);
    return sum + 40;
  }, 0);
}

/** The plan over one table of `index`, or undefined when that could miss documents. */
export function planIndexAccess(
  conjunction: Conjunction,
  sort: Sort,
  { index, folded }: { readonly index: IndexEntry; readonly folded: boolean },
): IndexPlan | undefined {
  const keys = boundKeys(conjunction, index, folded);
  const { ranges: intervals, used } = rangesOfKeys(keys);
  const bound = keys.slice(0, used);
  // A sparse index lacks the documents that have none of the fields.
  const complete = !index.definition.sparse || bound.some(({ bounds }) => bounds && !includesNull(bounds));
  if (!complete) return undefined;
  const exact =
    conjunction.others.length === 0 &&
    conjunction.tests.size === bound.length &&
    bound.every(({ bounds }) => bounds?.exact === true);
  const reversed = readingOrder(keys, used, sort);
  const single =
    intervals.length === 1 &&
    bound.length > 0 &&
    bound.length === keys.length &&
    bound.every(({ bounds }) => bounds?.points);
  const access: IndexAccess = {
    kind: 'index',
    index,
    caseInsensitive: folded,
    ranges: intervals,
    reversed: reversed === true,
    mayRepeat: index.multikey !== 0 && !single,
  };
  return { access, exact, sorted: reversed !== undefined, selectivity: selectivityOf(keys, used) };
}
