// Plans the use of one index for a query: which key ranges to read, and whether the index order is the requested order.

import type { Filter, FilterTest } from '../../filter.ts';
import { parsePath } from '../../matching/paths.ts';
import type { Direction, IndexKey, Sort } from '../../ports.ts';
import type { IndexEntry } from '../data-file/catalogue.ts';
import { inDirection, prefixSuccessor } from '../indexes/index-keys.ts';
import { includesNull, type KeyBounds, type KeyRange, keyBoundsOf, prefixRange } from './key-bounds.ts';

/** A filter as a conjunction. */
export interface Conjunction {
  /** The tests that must all pass, by path. */
  readonly tests: ReadonlyMap<string, readonly FilterTest[]>;
  /** Conditions that are not about a single path, such as `or`. */
  readonly others: readonly Filter[];
}

/** Flattens nested `and`s. */
export function flattenConjunction(filter: Filter): Conjunction {
  const tests = new Map<string, readonly FilterTest[]>();
  const others: Filter[] = [];
  const visit = (node: Filter) => {
    if (node.kind === 'and') node.filters.forEach(visit);
    else if (node.kind === 'field') tests.set(node.path, [...(tests.get(node.path) ?? []), ...node.tests]);
    else others.push(node);
  };
  visit(filter);
  return { tests, others };
}

export interface IndexAccess {
  readonly kind: 'index';
  readonly index: IndexEntry;
  /** Ascending and disjoint. */
  readonly ranges: readonly KeyRange[];
  readonly reversed: boolean;
  /** A document may occur more than once; only the first occurrence counts. */
  readonly mayRepeat: boolean;
}

/** How a query reads its documents. */
export type Access =
  /** Single documents, in this order. */
  | { readonly kind: 'ids'; readonly ids: readonly string[] }
  /** Documents in `_id` order, from `low` to below `high`. */
  | {
      readonly kind: 'id-scan';
      readonly reversed: boolean;
      readonly low: string;
      /** SQLite sorts every text below every blob. */
      readonly high: string | Buffer;
    }
  /** All documents, in storage order. */
  | { readonly kind: 'scan' }
  | IndexAccess
  /** The union of several index accesses, unordered. */
  | { readonly kind: 'union'; readonly branches: readonly IndexAccess[] };

export interface IndexAccessPlan {
  readonly access: IndexAccess;
  /** Every document that the access finds matches the filter. */
  readonly exact: boolean;
  /** The access finds documents in the requested order. */
  readonly sorted: boolean;
  /** How much the filter narrows the index; 0 when the whole index is read. */
  readonly selectivity: number;
}

/** Most ranges that combining lists of values may produce. */
export const MAX_RANGES = 2000;

export const FULL_RANGE: KeyRange = { low: Buffer.from([0]), high: Buffer.from([0xff]) };

/** A key of an index. */
export interface KeyPlace {
  readonly key: IndexKey;
  readonly at: number;
  readonly multikey: boolean;
}

interface BoundKey extends KeyPlace {
  readonly bounds: KeyBounds | undefined;
}

/** A numeric part may mean a position in an array, which index rows do not contain. */
export const hasPosition = (path: string) => parsePath(path).some((part) => part.position >= 0);

/** The keys of an index, in order. */
export const keyPlaces = ({ definition, multikey }: IndexEntry): readonly KeyPlace[] =>
  definition.keys.map((key, at) => ({ key, at, multikey: (multikey & (1 << at)) !== 0 }));

function boundKeys(conjunction: Conjunction, index: IndexEntry): readonly BoundKey[] {
  return keyPlaces(index).map((place) => {
    const tests = conjunction.tests.get(place.key.path);
    const usable = tests !== undefined && !hasPosition(place.key.path);
    return { ...place, bounds: usable ? keyBoundsOf(tests, place) : undefined };
  });
}

interface BoundRanges {
  readonly ranges: readonly KeyRange[];
  /** How many leading keys are bound. */
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

/**
 * Whether an earlier key walks into the same array. A row describes one element, while the tests of two paths may pass for two
 * different elements.
 */
export function sharesArray(part: KeyPlace, keys: readonly KeyPlace[]): boolean {
  if (!part.multikey) return false;
  const root = rootOf(part.key.path);
  return keys.slice(0, part.at).some((other) => other.multikey && rootOf(other.key.path) === root);
}

function sortRanges(ranges: readonly KeyRange[]): readonly KeyRange[] {
  return ranges.length < 2 ? ranges : ranges.toSorted((a, b) => Buffer.compare(a.low, b.low));
}

const isConstant = ({ bounds }: BoundKey) => bounds?.points === true && bounds.ranges.length === 1;

/** Drops the sort keys after `_id`, which is unique, and returns the direction in which ids break ties. */
function normalizeSort(sort: Sort): { readonly keys: Sort; readonly ids: Direction } {
  const at = sort.findIndex(([path]) => path === '_id');
  const keys = at < 0 ? sort : sort.slice(0, at);
  return { keys, ids: (at < 0 ? sort.at(-1) : sort[at])?.[1] ?? 1 };
}

/** Returns whether to read backwards for the order of `sort`; undefined if neither direction gives that order. */
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
  const directions = free.map((part, at) =>
    rest[at]?.[0] === part.key.path ? rest[at][1] * part.key.direction : 0,
  );
  directions.push(wanted.ids * idDirection);
  const [direction] = directions;
  if (direction === 0 || directions.some((other) => other !== direction)) return undefined;
  return isOrderReliable(keys, free, used) ? direction === -1 : undefined;
}

/** An array sorts by its smallest element, which may lie outside of the ranges that the filter selects. */
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

/** Plans the access to `index`; undefined if that could miss documents. */
export function planIndexAccess(
  conjunction: Conjunction,
  sort: Sort,
  index: IndexEntry,
): IndexAccessPlan | undefined {
  const keys = boundKeys(conjunction, index);
  const { ranges, used } = rangesOfKeys(keys);
  const bound = keys.slice(0, used);
  // A sparse index does not contain documents that have none of its fields.
  const complete = !index.definition.sparse || bound.some(({ bounds }) => bounds && !includesNull(bounds));
  if (!complete) return undefined;
  const exact =
    conjunction.others.length === 0 &&
    conjunction.tests.size === bound.length &&
    bound.every(({ bounds }) => bounds?.exact === true);
  const reversed = readingOrder(keys, used, sort);
  const single =
    ranges.length === 1 &&
    bound.length > 0 &&
    bound.length === keys.length &&
    bound.every(({ bounds }) => bounds?.points);
  const access: IndexAccess = {
    kind: 'index',
    index,
    ranges,
    reversed: reversed === true,
    mayRepeat: index.multikey !== 0 && !single,
  };
  return { access, exact, sorted: reversed !== undefined, selectivity: selectivityOf(keys, used) };
}
