// The order of the writes of one commit: what a store without transactions can follow, so that a crash leaves no gap.

import { namespaceKey } from '../../stores/namespace.ts';
import type { Write } from '../../stores/ports.ts';
import type { WriteOrigin } from './commit-errors.ts';

export interface PlannedWrite {
  readonly write: Write;
  readonly origin: WriteOrigin;
  readonly step: 'beside' | 'revision' | 'insert' | 'update' | 'remove';
  /** How deep in another document an insert came; 0 for the document itself. */
  readonly depth?: number;
}

const STEPS: readonly PlannedWrite['step'][] = ['beside', 'revision', 'insert', 'update', 'remove'];

/**
 * What stands beside the documents first, then revisions, then new documents from the innermost to the outermost, then updates, then removals: any first part
 * of that has no reference to a document that is not there yet and no document without its revision. Within a step,
 * writes of one collection stand together, in the order in which they were planned. `origins` runs beside `writes`.
 */
export function orderWrites(planned: readonly PlannedWrite[]): {
  readonly writes: readonly Write[];
  readonly origins: readonly WriteOrigin[];
} {
  const collections = new Map<string, number>();
  const ranked = planned.map((one) => {
    const key = namespaceKey(one.write.ns);
    const collection = collections.get(key) ?? collections.size;
    collections.set(key, collection);
    return { ...one, step: STEPS.indexOf(one.step), depth: one.depth ?? 0, collection };
  });
  ranked.sort((a, b) => a.step - b.step || b.depth - a.depth || a.collection - b.collection);
  return { writes: ranked.map(({ write }) => write), origins: ranked.map(({ origin }) => origin) };
}
