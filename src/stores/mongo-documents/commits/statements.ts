// Writes in the words of the server: which document they are about, in which state, and what becomes of it.
import type { Document } from 'mongodb';
import type { Write } from '../../ports.ts';
import { toBson, toBsonId, toBsonValue } from '../bson/values.ts';

type Update = Extract<Write, { kind: 'update' }>;

/** The stored number of writes as readers see it: what is no number, or none that JSON has, counts as 0. */
const STORED_VERSION = {
  $cond: [{ $and: [{ $isNumber: '$v' }, { $gt: ['$v', -Infinity] }, { $lt: ['$v', Infinity] }] }, '$v', 0],
};

/** Fails with `STALE` whenever it is evaluated. It names a field, so it is never evaluated beforehand. */
const FAILURE = { $toInt: { $concat: ['stale ', { $type: '$_id' }] } };

/** The code of the error that `guardedFilter` raises: ConversionFailure. */
export const STALE = 241;

/** Matches the document in that state, and nothing else. */
export function stateFilter(id: string, v: number): Document {
  const _id = toBsonId(id);
  return v === 0 ? { _id, $expr: { $eq: [STORED_VERSION, 0] } } : { _id, v };
}

/**
 * The same, but where the document is in another state the statement fails with `STALE`: a command of many statements
 * ends there and names the one. Otherwise it would go on, and tell only how many matched.
 */
export function guardedFilter(id: string, v: number): Document {
  const stored = v === 0 ? STORED_VERSION : '$v';
  return { _id: toBsonId(id), $expr: { $cond: [{ $eq: [stored, v] }, true, FAILURE] } };
}

/** What operators such as `$set` would take for a path, or not take at all. */
const isOddName = (name: string) => name === '' || name.startsWith('$') || name.includes('.');

/** True for an update that only works as a new document in the place of the old: no operators would empty it. */
export function isReplacement({ changed }: Pick<Update, 'changed'>): boolean {
  return changed.some(isOddName) || changed.every((name) => name === '_id');
}

/**
 * What an update does: sets the changed fields, so that the others keep the types which other programs gave them, or
 * replaces the whole document where a name is too odd for that.
 */
export function changeOf(write: Pick<Update, 'document' | 'changed'>): Document {
  const { document, changed } = write;
  if (isReplacement(write)) return toBson(document);
  // Maps, as plain objects give a meaning to names such as `__proto__` and `_bsontype`.
  const set = new Map<string, unknown>();
  const unset = new Map<string, unknown>();
  for (const name of changed) {
    const value = Object.hasOwn(document, name) ? document[name] : undefined;
    if (name === '_id') continue;
    if (value === undefined) unset.set(name, true);
    else set.set(name, toBsonValue(value));
  }
  return { ...(set.size > 0 && { $set: set }), ...(unset.size > 0 && { $unset: unset }) };
}

/** A write as a statement of a command with many, which finds the document by `filter`. */
export function statementOf(write: Write, filter: typeof stateFilter): Document {
  switch (write.kind) {
    case 'insert':
      return toBson(write.document);
    case 'update':
      return { q: filter(write.id, write.v), u: changeOf(write) };
    case 'remove':
      return { q: filter(write.id, write.v), limit: 1 };
  }
}

/** The id of the document that a write is about. */
export function idOf(write: Write): string {
  return write.kind === 'insert' ? write.document._id : write.id;
}
