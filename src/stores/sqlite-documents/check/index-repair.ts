// Builds an index again beside the one that is broken, which is dropped in the transaction that completes the new one.

import type { WriteContext } from '../commit/apply-writes.ts';
import { inTransaction } from '../data-file/connection.ts';
import { createBulkBuilds, type FillState, type GatherState } from '../indexes/bulk-build.ts';
import { findIndex, isSuperseded } from '../indexes/index-build.ts';

export interface RepairOptions {
  /** About how long one slice keeps other writers waiting, in milliseconds. */
  readonly ms: number;
  /** Between two slices: lets other processes write. */
  readonly pause: () => Promise<void>;
}

/** Slices between two moves of the write-ahead log into the file. No server does that where none runs. */
const SLICES_PER_CHECKPOINT = 64;

export interface BrokenEntry {
  /** The number of the index. */
  readonly n: number;
  /** Its pages are damaged, so that it cannot be read, written or dropped. */
  readonly isDamaged: boolean;
}

/**
 * Builds a broken index anew: `gone` when it is not declared any more. Until the new one is ready no query uses either,
 * and writers hold documents to both, so that what is unique stays so. Throws `duplicate` where documents break it: then
 * both stay as indexes that are not built yet.
 */
export async function rebuildIndex(
  writer: WriteContext,
  broken: BrokenEntry,
  { ms, pause }: RepairOptions,
): Promise<'rebuilt' | 'gone'> {
  const successor = addReplacement(writer, broken);
  if (successor === undefined) return 'gone';
  const bulk = createBulkBuilds(writer);
  const slices = async <T extends GatherState | FillState>(work: () => T, unfinished: T): Promise<T> => {
    for (let done = 1; ; done += 1) {
      const state = work();
      await pause();
      if (state !== unfinished) return state;
      if (done % SLICES_PER_CHECKPOINT === 0) writer.connection.db.exec('pragma wal_checkpoint(passive)');
    }
  };
  try {
    await slices(() => bulk.gather(successor, ms), 'gathering');
    const state = await slices(() => bulk.fill(successor, ms), 'filling');
    // Where nothing was gathered another process was faster.
    return state === 'ready' || isReady(writer, successor) ? 'rebuilt' : 'gone';
  } finally {
    bulk.discard(successor);
  }
}

/** Keeps queries away from the broken index, and gives the number of the entry that is to replace it. */
function addReplacement(writer: WriteContext, { n, isDamaged }: BrokenEntry): number | undefined {
  const { connection, catalogue } = writer;
  try {
    return inTransaction(connection, 'immediate', () => {
      catalogue.refresh();
      const found = findIndex(writer, n);
      if (found === undefined) return undefined;
      const { entry, index } = found;
      const newer = entry.indexes.findLast((other) => isSuperseded(index, [other]));
      if (newer !== undefined) return newer.n;
      const successor = catalogue.addIndex(entry, index.definition, false);
      if (isDamaged) catalogue.forgetIndex(catalogue.ensure(entry.ns), index);
      else {
        index.ready = false;
        catalogue.saveIndex(index);
      }
      return successor.n;
    });
  } catch (error) {
    catalogue.invalidate();
    throw error;
  }
}

function isReady(writer: WriteContext, n: number): boolean {
  writer.catalogue.refresh();
  return findIndex(writer, n)?.index.ready === true;
}
