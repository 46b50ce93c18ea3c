// Splits a commit into batches (consecutive writes of one kind on one collection that fit in one command), and builds the
// server's operation for each write: which document, in which state, and how it changes.

import type { Document } from 'mongodb';
import { type Namespace, namespaceKey, type StoredDocument, type Write } from '../../ports.ts';
import { toBson, toBsonId, toBsonValue } from '../bson/bson-conversion.ts';

type Update = Extract<Write, { kind: 'update' }>;

const STORED_NUMBER = { $convert: { input: '$v', to: 'double', onError: 0, onNull: 0 } };

/** The stored version as readers see it: 0 if it is no number, or none that JSON has. */
const READABLE_VERSION = {
  $cond: [
    {
      $and: [{ $isNumber: '$v' }, { $gt: [STORED_NUMBER, -Infinity] }, { $lt: [STORED_NUMBER, Infinity] }],
    },
    STORED_NUMBER,
    0,
  ],
};

/**
 * Whether the server may compare the stored version directly. For other numbers it is more exact than readers are.
 */
const isPlainVersion = (v: number) => v !== 0 && Number.isSafeInteger(v);

/** Fails with `STALE` whenever it is evaluated. It names a field, so it is never evaluated beforehand. */
const RAISE_STALE = { $toInt: { $concat: ['stale ', { $type: '$_id' }] } };

/** The code of the error that `guardedFilter` raises: ConversionFailure. */
export const STALE = 241;

/** Matches the document in that state, and nothing else. */
export function stateFilter(id: string, v: number): Document {
  const _id = toBsonId(id);
  return isPlainVersion(v) ? { _id, v } : { _id, $expr: { $eq: [READABLE_VERSION, v] } };
}

/**
 * The same, but where the document is in another state the statement fails with `STALE`: a command of many statements
 * ends there and names the one. Otherwise it would go on, and tell only how many matched.
 */
export function guardedFilter(id: string, v: number): Document {
  const stored = isPlainVersion(v) ? '$v' : READABLE_VERSION;
  return { _id: toBsonId(id), $expr: { $cond: [{ $eq: [stored, v] }, true, RAISE_STALE] } };
}

/** What operators such as `$set` would take for a path, or not take at all. */
const needsPipeline = (name: string) => name === '' || name.startsWith('$') || name.includes('.');

/**
 * With more stages than this the document is replaced, and types of other programs are lost; the server allows 1000.
 */
const MAX_STAGES = 200;

/** A whole document in the place of the old one. A plain replacement takes no names such as `$set`. */
export function replaceOperation(document: Document): Document[] {
  return [{ $replaceWith: { $literal: document } }];
}

/**
 * What an update does: sets the changed fields, so that the others keep the types which other programs gave them. It is a
 * pipeline where a name is too odd for operators.
 */
export function updateOperation({
  document,
  changed,
}: Pick<Update, 'document' | 'changed'>): Document | Document[] {
  const names = changed.filter((name) => name !== '_id');
  if (names.length === 0) return [{ $replaceWith: '$$ROOT' }];
  if (!names.some(needsPipeline)) return updateOperators(document, names);
  return names.length > MAX_STAGES ? replaceOperation(toBson(document)) : updateStages(document, names);
}

function updateOperators(document: StoredDocument, names: readonly string[]): Document {
  // Maps, as plain objects give a meaning to names such as `__proto__` and `_bsontype`.
  const set = new Map<string, unknown>();
  const unset = new Map<string, unknown>();
  for (const name of names) {
    const value = valueIn(document, name);
    if (value === undefined) unset.set(name, true);
    else set.set(name, toBsonValue(value));
  }
  return { ...(set.size > 0 && { $set: set }), ...(unset.size > 0 && { $unset: unset }) };
}

function updateStages(document: StoredDocument, names: readonly string[]): Document[] {
  return names.map((name) => {
    const field = { field: { $literal: name }, input: '$$ROOT' };
    const value = valueIn(document, name);
    return {
      $replaceWith:
        value === undefined
          ? { $unsetField: field }
          : { $setField: { ...field, value: { $literal: toBsonValue(value) } } },
    };
  });
}

const valueIn = (document: StoredDocument, name: string) =>
  Object.hasOwn(document, name) ? document[name] : undefined;

/** A write as a statement of a command with many, which finds the document by `filter`. */
export function writeOperation(write: Write, filter: typeof stateFilter): Document {
  switch (write.kind) {
    case 'insert':
      return toBson(write.document);
    case 'update':
      return { q: filter(write.id, write.v), u: updateOperation(write) };
    case 'remove':
      return { q: filter(write.id, write.v), limit: 1 };
  }
}

/** The id of the document that a write is about. */
export function writtenId(write: Write): string {
  return write.kind === 'insert' ? write.document._id : write.id;
}

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

/** Characters that a write counts for in a batch. */
export function sizeOf(write: Write): number {
  if (write.kind === 'remove') return WRITE_OVERHEAD;
  return WRITE_OVERHEAD + (write.text ?? JSON.stringify(write.document)).length;
}
