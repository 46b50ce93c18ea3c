// The writes of one commit, and the order in which they are committed.
import { namespaceKey, type StoredDocument, type Write } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';
import type { BodyPosition } from './body-position.ts';

export interface PlannedWrite {
  readonly write: Write;
  readonly position: BodyPosition;
  readonly step: 'extra' | 'revision' | 'insert' | 'update' | 'remove';
  /** Depth of an inserted sub-document; 0 for the document itself. */
  readonly depth?: number;
  /**
   * Through which the document is written, or the state that a revision keeps: several where one write updates a document
   * through each. None for an extra write.
   */
  readonly collections: readonly Collection[];
  /** The document before the write; the last state of one that is inserted again. */
  readonly stored?: StoredDocument;
}

const STEPS: readonly PlannedWrite['step'][] = ['extra', 'revision', 'insert', 'update', 'remove'];

/**
 * Orders writes for stores without transactions: extra writes, revisions, new documents from the innermost to the outermost,
 * updates, removals. Whatever part of them was written before a crash, no reference leads to a missing document and no
 * document lacks its revision. Within a step, the writes of one collection stand together, in the order in which they came.
 */
export function orderWrites(planned: readonly PlannedWrite[]): readonly PlannedWrite[] {
  return isUniform(planned) ? planned : sortWrites(planned);
}

/** True for one kind of write to one collection, which nearly all commits are. */
function isUniform(planned: readonly PlannedWrite[]): boolean {
  const [first] = planned;
  return planned.every(
    ({ step, depth, write }) => step === first?.step && depth === first.depth && write.ns === first.write.ns,
  );
}

function sortWrites(planned: readonly PlannedWrite[]): readonly PlannedWrite[] {
  const collections = new Map<string, number>();
  const ranked = planned.map((one) => {
    const key = namespaceKey(one.write.ns);
    const collection = collections.get(key) ?? collections.size;
    collections.set(key, collection);
    return { one, step: STEPS.indexOf(one.step), depth: one.depth ?? 0, collection };
  });
  ranked.sort((a, b) => a.step - b.step || b.depth - a.depth || a.collection - b.collection);
  return ranked.map(({ one }) => one);
}
