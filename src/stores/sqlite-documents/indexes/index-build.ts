// Fills the index of a small collection slice by slice, so that other writes get their turn between two slices.

import { updateIndexRows, type WriteContext } from '../commit/apply-writes.ts';
import type { CollectionEntry, IndexEntry } from '../data-file/catalogue.ts';
import { inTransaction } from '../data-file/connection.ts';
import { parseDocument } from '../data-file/document-text.ts';
import { documentTable } from '../data-file/schema.ts';
import { createDeadlineLimit } from '../data-file/work-limit.ts';

/** `gone`: the index was dropped meanwhile. */
export type BuildSliceState = 'ready' | 'building' | 'gone';

export interface BuildSlice {
  readonly index: number;
  /** How long the slice may take. */
  readonly ms: number;
}

export interface LocatedIndex {
  readonly entry: CollectionEntry;
  readonly index: IndexEntry;
}

/** Finds an index and its collection by the number of the index. */
export function findIndex({ catalogue }: WriteContext, n: number): LocatedIndex | undefined {
  for (const entry of catalogue.list()) {
    const index = entry.indexes.find((candidate) => candidate.n === n);
    if (index !== undefined) return { entry, index };
  }
  return undefined;
}

/**
 * Puts the next documents into the index, in one transaction. Its progress is kept in the file, so a build goes on
 * after a crash. Throws `duplicate` when documents break a unique index, `parallel-arrays`.
 */
export function buildSlice(writer: WriteContext, { index: n, ms }: BuildSlice): BuildSliceState {
  const { connection, catalogue } = writer;
  try {
    return inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const found = findIndex(writer, n);
      if (found === undefined) return 'gone';
      if (!found.index.ready) indexDocuments(writer, found, performance.now() + ms);
      return found.index.ready ? 'ready' : 'building';
    });
  } catch (error) {
    catalogue.invalidate();
    throw error;
  }
}

function indexDocuments(writer: WriteContext, found: LocatedIndex, end: number): void {
  const { entry, index } = found;
  const { connection, catalogue } = writer;
  const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? order by doc`;
  const meter = createDeadlineLimit(undefined);
  let complete = true;
  for (const [doc, json] of connection.statement(sql).iterate(index.watermark) as unknown as Iterable<
    [number, string]
  >) {
    updateIndexRows(writer, index, { doc, before: undefined, after: parseDocument(json), meter });
    index.watermark = doc;
    if (performance.now() < end) continue;
    complete = false;
    break;
  }
  if (complete) completeIndex(writer, found);
  else catalogue.saveIndex(index);
}

const isSame = (a: IndexEntry, b: IndexEntry) =>
  JSON.stringify(a.definition) === JSON.stringify(b.definition);

/** True for an entry that a newer one of the same definition is to take the place of, as soon as that is ready. */
export function isSuperseded(index: IndexEntry, entries: readonly IndexEntry[]): boolean {
  return entries.some((other) => other.n > index.n && isSame(other, index));
}

/** Lets queries use the index, and drops the entries that it replaces. Inside a write transaction only. */
export function completeIndex({ connection, catalogue }: WriteContext, { entry, index }: LocatedIndex): void {
  index.ready = true;
  catalogue.saveIndex(index);
  connection.statement('delete from touched where idx = ?').run(index.n);
  const replaced = entry.indexes.filter((other) => isSuperseded(other, [index]));
  for (const older of replaced) catalogue.dropIndex(catalogue.ensure(entry.ns), older);
}

/** Drops the index of that number, if it is still there. */
export function dropIndex(writer: WriteContext, n: number): void {
  const { connection, catalogue } = writer;
  try {
    inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const found = findIndex(writer, n);
      if (found !== undefined) catalogue.dropIndex(found.entry, found.index);
    });
  } catch (error) {
    catalogue.invalidate();
    throw error;
  }
}
