// Splits a commit into batches: consecutive writes of one kind on one collection that fit in one command.

import { namespaceKey } from '../../namespace.ts';
import type { Namespace, Write } from '../../ports.ts';

/** Neighbours of a commit that one command takes. */
export interface WriteBatch {
  readonly kind: Write['kind'];
  readonly ns: Namespace;
  /** Index of its first write in the commit. */
  readonly first: number;
  readonly writes: readonly Write[];
}

/**
 * What one command takes at most. A million characters become seven million bytes of BSON at worst, of the sixteen that
 * a command may have, and are written out without a pause that others would feel.
 */
export const MAX_BATCH = { count: 500, size: 1024 * 1024 };

/** Characters that every write counts for, besides its document. */
const WRITE_OVERHEAD = 100;

/** Splits items in their order, wherever the next one exceeds a limit or does not join the one before. */
export function* splitBySize<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  joins: (before: T, item: T) => boolean = () => true,
): Generator<readonly T[]> {
  let run: T[] = [];
  let size = 0;
  for (const item of items) {
    const more = sizeOf(item);
    const before = run.at(-1);
    if (
      before !== undefined &&
      (run.length === MAX_BATCH.count || size + more > MAX_BATCH.size || !joins(before, item))
    ) {
      yield run;
      run = [];
      size = 0;
    }
    run.push(item);
    size += more;
  }
  if (run.length > 0) yield run;
}

/** The batches of a commit, in the order of its writes, created lazily. */
export function* batchesOf(writes: readonly Write[]): Generator<WriteBatch> {
  let first = 0;
  for (const run of splitBySize(
    writes,
    sizeOf,
    (a, b) => a.kind === b.kind && namespaceKey(a.ns) === namespaceKey(b.ns),
  )) {
    const { kind, ns } = run[0] as Write;
    yield { kind, ns, first, writes: run };
    first += run.length;
  }
}

function sizeOf(write: Write): number {
  if (write.kind === 'remove') return WRITE_OVERHEAD;
  return WRITE_OVERHEAD + (write.text ?? JSON.stringify(write.document)).length;
}
