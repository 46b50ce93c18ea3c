// MongoDB's total order of JSON values: missing and null, then numbers, text by code point, objects, arrays, booleans. And of
// documents by a sort: an array sorts by its smallest element ascending, by its largest descending.
import type { Json, JsonObject } from '../../lib/json/json.ts';
import type { Sort } from '../ports.ts';
import { EMPTY_ARRAY, type ExpandedRows, expandRows, type IndexValue, parsePath } from './paths.ts';

const NULL_RANK = 1;
const NUMBER_RANK = 2;
const TEXT_RANK = 3;
const OBJECT_RANK = 4;
const ARRAY_RANK = 5;
const BOOLEAN_RANK = 6;

/** Rank of a value's type in the order. `$gt`, `$gte`, `$lt` and `$lte` only match values of one rank. */
export function typeRank(value: Json | undefined): number {
  switch (typeof value) {
    case 'string':
      return TEXT_RANK;
    case 'number':
      return NUMBER_RANK;
    case 'boolean':
      return BOOLEAN_RANK;
    case 'object':
      if (value === null) return NULL_RANK;
      return Array.isArray(value) ? ARRAY_RANK : OBJECT_RANK;
    default:
      return NULL_RANK;
  }
}

/** Compares two values, as `Array.sort` expects. Missing (`undefined`) equals null. */
export function compareValues(a: Json | undefined, b: Json | undefined): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : 0;
  const rank = typeRank(a);
  const difference = rank - typeRank(b);
  if (difference !== 0) return difference;
  if (rank === ARRAY_RANK) return compareArrays(a as readonly Json[], b as readonly Json[]);
  if (rank === OBJECT_RANK) return compareObjects(a as JsonObject, b as JsonObject);
  // Two nulls, or two different booleans.
  return rank === NULL_RANK ? 0 : a === true ? 1 : -1;
}

/** Whether two values are equal. The order of object keys matters; -0 equals 0. */
export function equalValues(a: Json | undefined, b: Json | undefined): boolean {
  return a === b || compareValues(a, b) === 0;
}

/** Compares text by code point; `<` compares by UTF-16 unit. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left !== right) return codePointWeight(left) - codePointWeight(right);
  }
  return a.length - b.length;
}

/** Sorts surrogates, which encode the highest code points, above all other units. */
function codePointWeight(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit;
}

function compareArrays(a: readonly Json[], b: readonly Json[]): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const difference = compareValues(a[at], b[at]);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Compares member by member: first the types, then the names, then the values. */
function compareObjects(a: JsonObject, b: JsonObject): number {
  const aNames = Object.keys(a);
  const bNames = Object.keys(b);
  const length = Math.min(aNames.length, bNames.length);
  for (let at = 0; at < length; at += 1) {
    const aName = aNames[at] as string;
    const bName = bNames[at] as string;
    const difference =
      typeRank(a[aName]) - typeRank(b[bName]) ||
      compareText(aName, bName) ||
      compareValues(a[aName], b[bName]);
    if (difference !== 0) return difference;
  }
  return aNames.length - bNames.length;
}

/** The sort key of a document, created once and compared often. */
interface SortKey {
  readonly values: readonly IndexValue[];
  readonly id: string;
}

export interface Sorter {
  /** Throws a `parallel-arrays` StoreError if two paths of the sort lead to different arrays. */
  keyOf(document: JsonObject): SortKey;
  /** Compares two keys, as `Array.sort` expects. Zero only for the same `_id`. */
  compare(a: SortKey, b: SortKey): number;
}

/** Creates the sorter. `_id` breaks ties, in the direction of the last path, ascending for an empty sort. */
export function createSorter(sort: Sort): Sorter {
  const paths = sort.map(([path]) => parsePath(path));
  const directions = sort.map(([, direction]) => direction);
  const idDirection = directions.at(-1) ?? 1;
  const compareRows = (a: readonly IndexValue[], b: readonly IndexValue[]): number => {
    for (let at = 0; at < directions.length; at += 1) {
      const difference = compareIndexValues(a[at], b[at]);
      if (difference !== 0) return directions[at] === 1 ? difference : -difference;
    }
    return 0;
  };
  const lowestRow = (rows: ExpandedRows['rows']): readonly IndexValue[] =>
    rows.reduce((lowest, row) => (compareRows(row, lowest) < 0 ? row : lowest));
  return {
    keyOf: (document) => ({ values: lowestRow(expandRows(document, paths).rows), id: idOf(document) }),
    compare: (a, b) => compareRows(a.values, b.values) || compareText(a.id, b.id) * idDirection,
  };
}

/** Compares index values: the marker of an empty array sorts first. */
export function compareIndexValues(a: IndexValue, b: IndexValue): number {
  if (a === EMPTY_ARRAY) return b === EMPTY_ARRAY ? 0 : -1;
  return b === EMPTY_ARRAY ? 1 : compareValues(a, b);
}

function idOf(document: JsonObject): string {
  const id = document['_id'];
  return typeof id === 'string' ? id : '';
}
