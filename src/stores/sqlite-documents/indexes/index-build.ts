// Builds the index of a small collection in slices, so that other writes run between two slices.

import {
  type CollectionEntry,
  documentTable,
  type IndexEntry,
  inWriteTransaction,
} from '../data-file/catalogue.ts';
import { createDeadlineLimit, parseDocument } from '../data-file/connection.ts';
import { updateIndexRows, type WriteContext } from './index-update.ts';

/** `gone`: the index was dropped in the meantime. */
export type BuildSliceState = 'ready' | 'building' | 'gone';

export interface BuildSlice {
  readonly index: number;
  /** Time limit of the slice, in milliseconds. */
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
 * Adds the next documents to the index, in one transaction. The progress is stored, so a build continues after a crash.
 * Throws `duplicate` if two documents have the same unique key, `parallel-arrays` if the index cannot hold a document.
 */
export function buildSlice(context: WriteContext, { index: n, ms }: BuildSlice): BuildSliceState {
  return inWriteTransaction(context, () => {
    const found = findIndex(context, n);
    if (found === undefined) return 'gone';
    if (!found.index.ready) indexDocuments(context, found, performance.now() + ms);
    return found.index.ready ? 'ready' : 'building';
  });
}

function indexDocuments(context: WriteContext, found: LocatedIndex, end: number): void {
  const { entry, index } = found;
  const { connection, catalogue } = context;
  const sql = `select doc, json from ${documentTable(entry.n)} where doc > ? order by doc`;
  const workLimit = createDeadlineLimit(undefined);
  let complete = true;
  for (const [doc, json] of connection.statement(sql).iterate(index.watermark) as unknown as Iterable<
    [number, string]
  >) {
    updateIndexRows(context, index, { doc, before: undefined, after: parseDocument(json), workLimit });
    index.watermark = doc;
    if (performance.now() < end) continue;
    complete = false;
    break;
  }
  if (complete) completeIndex(context, found);
  else catalogue.saveIndex(index);
}

const isSame = (a: IndexEntry, b: IndexEntry) =>
  JSON.stringify(a.definition) === JSON.stringify(b.definition);

/** Whether a newer index of the same definition replaces this one as soon as it is ready. */
export function isSuperseded(index: IndexEntry, entries: readonly IndexEntry[]): boolean {
  return entries.some((other) => other.n > index.n && isSame(other, index));
}

/** Marks the index as ready and drops the indexes that it replaces. Requires a write transaction. */
export function completeIndex({ connection, catalogue }: WriteContext, { entry, index }: LocatedIndex): void {
  index.ready = true;
  catalogue.saveIndex(index);
  connection.statement('delete from touched where idx = ?').run(index.n);
  const replaced = entry.indexes.filter((other) => isSuperseded(other, [index]));
  for (const older of replaced) catalogue.dropIndex(catalogue.ensure(entry.ns), older);
}

/** Drops the index of that number, if it still exists. */
export function dropIndex(context: WriteContext, n: number): void {
  inWriteTransaction(context, () => {
    const found = findIndex(context, n);
    if (found !== undefined) context.catalogue.dropIndex(found.entry, found.index);
  });
}
