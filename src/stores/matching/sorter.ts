// Orders documents as MongoDB does: an array counts by its smallest element ascending and its largest descending.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Sort } from '../ports.ts';
import { compareText, compareValues } from './compare.ts';
import { EMPTY_ARRAY, type ExpandedRows, expandRows, type IndexValue, parsePath } from './paths.ts';

/** What a document is ordered by: made once per document, compared often. */
interface SortKey {
  readonly values: readonly IndexValue[];
  readonly id: string;
}

export interface Sorter {
  /** Throws a `parallel-arrays` StoreError where two of the sort's paths hold different arrays. */
  keyOf(document: JsonObject): SortKey;
  /** Negative, zero or positive as `a` comes before, with or after `b`. Zero only for one `_id`. */
  compare(a: SortKey, b: SortKey): number;
}

/** Prepares an order. Ties are broken by `_id` in the direction of the last path, ascending where there is none. */
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
  const leastRow = (rows: ExpandedRows['rows']): readonly IndexValue[] =>
    rows.reduce((least, row) => (compareRows(row, least) < 0 ? row : least));
  return {
    keyOf: (document) => ({ values: leastRow(expandRows(document, paths).rows), id: idOf(document) }),
    compare: (a, b) => compareRows(a.values, b.values) || compareText(a.id, b.id) * idDirection,
  };
}

/**
 * A comparison of whole documents for `Array.sort`. It makes the keys anew each time: prefer `createSorter` for many.
 * Throws as `Sorter.keyOf`.
 */
export function compareDocuments(sort: Sort): (a: JsonObject, b: JsonObject) => number {
  const sorter = createSorter(sort);
  return (a, b) => sorter.compare(sorter.keyOf(a), sorter.keyOf(b));
}

/** Orders what an index keeps: an empty array's marker, then the values. */
export function compareIndexValues(a: IndexValue, b: IndexValue): number {
  if (a === EMPTY_ARRAY) return b === EMPTY_ARRAY ? 0 : -1;
  return b === EMPTY_ARRAY ? 1 : compareValues(a, b);
}

function idOf(document: JsonObject): string {
  const id = document['_id'];
  return typeof id === 'string' ? id : '';
}
