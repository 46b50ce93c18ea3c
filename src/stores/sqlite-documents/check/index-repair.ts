// Rebuilds a broken index: a new one is built next to it, and the transaction that completes the new one drops the old one.

import { inWriteTransaction } from '../data-file/catalogue.ts';
import { createBulkBuilds, type FillState, type GatherState } from '../indexes/bulk-build.ts';
import { findIndex, isSuperseded } from '../indexes/index-build.ts';
import type { WriteContext } from '../indexes/index-update.ts';

export interface RepairOptions {
  /** Approximate milliseconds for which one slice blocks other writers. */
  readonly ms: number;
  /** Called between two slices, so that other processes can write. */
  readonly pause: () => Promise<void>;
}

/** Slices between two checkpoints: without a running server nobody else makes them. */
const SLICES_PER_CHECKPOINT = 64;

export interface BrokenEntry {
  /** The number of the index. */
  readonly n: number;
  /** Its pages are damaged, so that it cannot be read, written or dropped. */
  readonly isDamaged: boolean;
}

/**
 * Rebuilds a broken index; `gone` if it is no longer declared. Until the new index is ready no query uses either of them, and
 * writes update both, so that unique keys stay unique. Throws `duplicate` if two documents have the same unique key: both
 * indexes then stay unfinished.
 */
export async function rebuildIndex(
  context: WriteContext,
  broken: BrokenEntry,
  options: RepairOptions,
): Promise<'rebuilt' | 'gone'> {
  const replacement = addReplacement(context, broken);
  return replacement === undefined ? 'gone' : runBuild(context, replacement, options);
}

/** Builds an index of the catalogue that is not ready. Throws `duplicate` and `parallel-arrays`: it then stays unfinished. */
export async function runBuild(
  context: WriteContext,
  n: number,
  { ms, pause }: RepairOptions,
): Promise<'rebuilt' | 'gone'> {
  const bulk = createBulkBuilds(context);
  const slices = async <T extends GatherState | FillState>(work: () => T, unfinished: T): Promise<T> => {
    for (let done = 1; ; done += 1) {
      const state = work();
      await pause();
      if (state !== unfinished) return state;
      if (done % SLICES_PER_CHECKPOINT === 0) context.connection.db.exec('pragma wal_checkpoint(passive)');
    }
  };
  try {
    await slices(() => bulk.gather(n, ms), 'gathering');
    const state = await slices(() => bulk.fill(n, ms), 'filling');
    // If nothing was gathered, another process has built the index.
    return state === 'ready' || isReady(context, n) ? 'rebuilt' : 'gone';
  } finally {
    bulk.discard(n);
  }
}

/** Takes the broken index out of use, and returns the number of the index that is to replace it. */
function addReplacement(context: WriteContext, { n, isDamaged }: BrokenEntry): number | undefined {
  return inWriteTransaction(context, () => {
    const { catalogue } = context;
    const found = findIndex(context, n);
    if (found === undefined) return undefined;
    const { entry, index } = found;
    const newer = entry.indexes.findLast((other) => isSuperseded(index, [other]));
    if (newer !== undefined) return newer.n;
    const replacement = catalogue.addIndex(entry, index.definition, false);
    if (isDamaged) catalogue.forgetIndex(catalogue.ensure(entry.ns), index);
    else {
      index.ready = false;
      catalogue.saveIndex(index);
    }
    return replacement.n;
  });
}

function isReady(context: WriteContext, n: number): boolean {
  context.catalogue.refresh();
  return findIndex(context, n)?.index.ready === true;
}
