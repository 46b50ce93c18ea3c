// The order of whole documents, as the stores have to sort them: for lists that a test sorts itself.
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createSorter } from '../../../src/stores/matching/compare.ts';
import type { Sort } from '../../../src/stores/ports.ts';

/** Returns a comparison of documents for `Array.sort`. Throws like `Sorter.keyOf`. */
export function compareDocuments(sort: Sort): (a: JsonObject, b: JsonObject) => number {
  const sorter = createSorter(sort);
  return (a, b) => sorter.compare(sorter.keyOf(a), sorter.keyOf(b));
}
