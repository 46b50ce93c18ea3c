// A write of a commit: where in the request its document is, how errors name that, and its place among the other writes.
import type { ErrorItem } from '../../errors/errors.ts';
import { namespaceKey, type StoredDocument, type Write } from '../../stores/ports.ts';
import type { Collection } from '../model/collection.ts';

/** Where in a request a document is. */
export interface BodyPosition {
  /** Dotted path of the sub-document, ending in a dot; `''` for the document itself. */
  readonly prefix: string;
  /** Index in a list of documents. */
  readonly index?: number;
  /** Index among the extra writes of the caller, who understands their errors itself. */
  readonly extraWrite?: number;
}

/** The body itself, not part of a list. */
export const WHOLE_BODY: BodyPosition = { prefix: '' };

/** The member of an error item that names the document of a list. */
export function indexMember({ index }: BodyPosition): { readonly index?: number } {
  return index === undefined ? {} : { index };
}

/** The issues of a document with their position in the request. */
export function withPosition(issues: readonly ErrorItem[], position: BodyPosition): readonly ErrorItem[] {
  if (issues.length === 0 || (position.prefix === '' && position.index === undefined)) return issues;
  const { prefix } = position;
  return issues.map((issue) => {
    const field = issue.field === undefined ? prefix.slice(0, -1) : `${prefix}${issue.field}`;
    return { ...issue, ...indexMember(position), ...(field !== '' && { field }) };
  });
}

/** A write of a commit, and what it does to which document. */
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
