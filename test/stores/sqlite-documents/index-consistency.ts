// Whether the indexes of a data file agree with its documents: asked after every path through a build.
import { expect } from 'vitest';
import {
  type CollectionIssues,
  checkCollection,
} from '../../../src/stores/sqlite-documents/check/collection-check.ts';
import type { WriteContext } from '../../../src/stores/sqlite-documents/indexes/index-update.ts';

/** Runs the check to its end. `between` is called after every slice; one looks at a single row or document. */
export function checkAllIndexes(
  writer: WriteContext,
  between: () => void = () => undefined,
): readonly CollectionIssues[] {
  writer.catalogue.refresh();
  return writer.catalogue.list().map(({ n, indexes }) => {
    const slices = checkCollection(writer, { n, indexes: indexes.map((index) => index.n), ms: -1 });
    for (let slice = slices.next(); ; slice = slices.next()) {
      if (slice.done === true) return slice.value;
      between();
    }
  });
}

/** Every ready index has the rows of every document and no others, and no ready index is still being noted for. */
export function expectConsistentIndexes(writer: WriteContext): void {
  for (const { indexes, damaged } of checkAllIndexes(writer)) {
    expect(damaged).toBe(0);
    for (const faults of indexes.values()) {
      expect(faults).toEqual({ missing: 0, surplus: 0, wrong: 0, unmarked: 0 });
    }
  }
  const ready = 'select count(*) from touched where idx in (select n from indexes where ready = 1)';
  const gone = 'select count(*) from touched where idx not in (select n from indexes)';
  for (const sql of [ready, gone]) expect(writer.connection.db.prepare(sql).get()).toEqual([0]);
}
