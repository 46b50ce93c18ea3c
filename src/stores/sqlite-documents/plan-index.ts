// What one index can do for a query: the stretches of keys to read, and whether their order is the one asked for.
import { parsePath } from '../matching/paths.ts';
import type { Direction, IndexKey, Sort } from '../ports.ts';
import { boundsOf, holdsNull, type KeyBounds, keyInterval } from './bounds.ts';
import type { IndexEntry } from './catalogue.ts';
import type { Conjunction } from './conjunction.ts';
import { directed, successor } from './keys.ts';
import type { IndexAccess, Interval, Plan } from './plan-types.ts';

export interface IndexPlan extends Plan {
  readonly access: IndexAccess;
  /** How much the filter narrows the index; 0 when it is read from end to end. */
  readonly narrowing: number;
}

/** More stretches than this are not made by multiplying lists. */
const MAX_INTERVALS = 2000;

export const EVERY_KEY: Interval = { low: Buffer.from([0]), high: Buffer.from([0xff]) };

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
    const bounds = usable ? boundsOf(tests, { folded: foldedKey, multikey }) : undefined;
    return { key, at, bounds, multikey, foldedKey };
  });
}

interface Stretches {
  readonly intervals: readonly Interval[];
  /** How many keys, from the first on, are bound. */
  readonly used: number;
}

/** Equality on the first keys, then at most one range. */
function stretchesOf(keys: readonly BoundKey[]): Stretches {
  let prefixes: readonly Buffer[] = [Buffer.alloc(0)];
  let used = 0;
  for (const part of keys) {
    const { key, bounds } = part;
    if (bounds === undefined || sharesArray(part, keys)) break;
    if (used > 0 && prefixes.length * bounds.intervals.length > MAX_INTERVALS) break;
    used += 1;
    if (!bounds.points) {
      const last = prefixes.flatMap((prefix) =>
        bounds.intervals.map((interval) => keyInterval(prefix, interval, key.direction)),
      );
      return { intervals: ascending(last), used };
    }
    prefixes = prefixes.flatMap((prefix) =>
      bounds.intervals.map(({ low }) => Buffer.concat([prefix, directed(low, key.direction)])),
    );
  }
  if (used === 0) return { intervals: [EVERY_KEY], used };
  return { intervals: ascending(prefixes.map((low) => ({ low, high: successor(low) }))), used };
}

const rootOf = (path: string) => path.split('.', 1)[0];

/** Entries hold what one element has, while the tests of two paths may hold for two elements of one array. */
function sharesArray(part: BoundKey, keys: readonly BoundKey[]): boolean {
  if (!part.multikey) return false;
  const root = rootOf(part.key.path);
  return keys.slice(0, part.at).some((other) => other.multikey && rootOf(other.key.path) === root);
}

function ascending(intervals: readonly Interval[]): readonly Interval[] {
  return intervals.length < 2 ? intervals : intervals.toSorted((a, b) => Buffer.compare(a.low, b.low));
}

const isConstant = ({ bounds, foldedKey }: BoundKey) =>
  bounds?.points === true && bounds.intervals.length === 1 && !foldedKey;

/** The sort without what `_id` makes pointless, and the direction of the ids among equals. */
function normalised(sort: Sort): { readonly keys: Sort; readonly ids: Direction } {
  const at = sort.findIndex(([path]) => path === '_id');
  const keys = at < 0 ? sort : sort.slice(0, at);
  return { keys, ids: (at < 0 ? sort.at(-1) : sort[at])?.[1] ?? 1 };
}

/** Whether to read backwards for the order of `sort`; undefined when neither way gives it. */
function readingOrder(keys: readonly BoundKey[], used: number, sort: Sort): boolean | undefined {
  const wanted = normalised(sort);
  const isFixed = (part: BoundKey) => part.at < used && isConstant(part) && !part.multikey;
  const fixed = new Set(keys.filter(isFixed).map((part) => part.key.path));
  const rest = wanted.keys.filter(
    ([path], at) => !fixed.has(path) && wanted.keys.findIndex(([other]) => other === path) === at,
  );
  const isSkipped = (part: BoundKey) =>
    part.at < used && part.bounds?.points === true && part.bounds.intervals.length === 1;
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
  return isOrderTrue(keys, free, used) ? turn === -1 : undefined;
}

/** An array is sorted by its least element, even where the filter asks for another: then bounds would mislead. */
function isOrderTrue(keys: readonly BoundKey[], free: readonly BoundKey[], used: number): boolean {
  if (!free.some((part) => part.multikey)) return true;
  return !keys.some((part) => part.at < used && part.multikey);
}

function narrowingOf(keys: readonly BoundKey[], used: number): number {
  return keys.slice(0, used).reduce((sum, { bounds }) => {
    if (bounds?.points === true) return sum + (bounds.intervals.length === 1 ? 100 : 80);
    return sum + 40;
  }, 0);
}

/** The plan over one table of `index`, or undefined when that could miss documents. */
export function planIndex(
  conjunction: Conjunction,
  sort: Sort,
  { index, folded }: { readonly index: IndexEntry; readonly folded: boolean },
): IndexPlan | undefined {
  const keys = boundKeys(conjunction, index, folded);
  const { intervals, used } = stretchesOf(keys);
  const bound = keys.slice(0, used);
  // A sparse index lacks the documents that have none of the fields.
  const complete = !index.definition.sparse || bound.some(({ bounds }) => bounds && !holdsNull(bounds));
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
    folded,
    intervals,
    reversed: reversed === true,
    repeats: index.multikey !== 0 && !single,
  };
  return { access, exact, sorted: reversed !== undefined, narrowing: narrowingOf(keys, used) };
}
