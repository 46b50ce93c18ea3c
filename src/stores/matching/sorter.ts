// Sorts documents as MongoDB does: an array sorts by its smallest element ascending, by its largest descending.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Sort } from '../ports.ts';
import { compareText, compareValues } from './compare.ts';
import { EMPTY_ARRAY, type ExpandedRows, expandRows, type IndexValue, parsePath } from './paths.ts';

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
  const leastRow = (rows: ExpandedRows['rows']): readonly IndexValue[] =>
    rows.reduce((least, row) => (compareRows(row, least) < 0 ? row : least));
  return {
    keyOf: (document) => ({ values: leastRow(expandRows(document, paths).rows), id: idOf(document) }),
    compare: (a, b) => compareRows(a.values, b.values) || compareText(a.id, b.id) * idDirection,
  };
}

/**
 * Returns a comparison of documents for `Array.sort`. It creates both keys for each comparison: use `createSorter` for many documents.
 * Throws like `Sorter.keyOf`.
 */
export function compareDocuments(sort: Sort): (a: JsonObject, b: JsonObject) => number {
  const sorter = createSorter(sort);
  return (a, b) => sorter.compare(sorter.keyOf(a), sorter.keyOf(b));
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
