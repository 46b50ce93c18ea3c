// Sends one parcel of a commit as one command, and tells how far it came.
import { type ClientSession, type Document, type Filter, MongoServerError } from 'mongodb';
import { StoreError } from '../../errors.ts';
import { toBsonId } from './bson-values.ts';
import type { Parcel } from './commit-parcels.ts';
import { idOf, STALE, statementOf } from './commit-statements.ts';
import type { Scope } from './connection-types.ts';

/** What every write outside of a transaction waits for. */
const DURABLE = { w: 'majority', j: true };

/** How a parcel is sent. */
export interface Sending {
  /** Of the transaction, where there is one. */
  readonly session?: ClientSession;
  /** Milliseconds. */
  readonly maxTimeMS?: number | undefined;
}

/** How far a command came. */
export interface Outcome {
  /** How many of its writes, from the first, are done. Those of documents that are gone count. */
  readonly done: number;
  /** `at` is undefined where a document is gone, and the server does not say which. */
  readonly failure?: { readonly at: number | undefined; readonly error: unknown };
}

/**
 * Applies the writes of a parcel in their order, up to the first that fails. Rejects where the server does not say how
 * far it came: then any first part of them may be done. The driver's own bulk write hides the keys of a broken index.
 */
export async function sendParcel(scope: Scope, parcel: Parcel, sending: Sending): Promise<Outcome> {
  const answer = await send(scope, parcel, commandOf(parcel), sending);
  const [failed] = (answer['writeErrors'] ?? []) as readonly Document[];
  if (failed !== undefined) {
    const at = failed['index'] as number;
    return { done: at, failure: { at, error: refusalOf(failed) } };
  }
  const done = parcel.writes.length;
  return answer['n'] === done
    ? { done }
    : { done, failure: { at: undefined, error: new StoreError('conflict') } };
}

/** Runs a write command on the collection of a parcel. Throws what the driver throws, also where a write may not last. */
export async function send(
  scope: Scope,
  { ns }: Pick<Parcel, 'ns'>,
  commandFor: (collection: string) => Document,
  { session, maxTimeMS }: Sending,
): Promise<Document> {
  const { collectionName, dbName } = scope.collection(ns);
  const command = {
    ...commandFor(collectionName),
    ...(session === undefined && { writeConcern: DURABLE }),
    ...(maxTimeMS !== undefined && { maxTimeMS }),
  };
  const answer = await scope.client.db(dbName).command(command, session === undefined ? {} : { session });
  const doubt: Document | undefined = answer['writeConcernError'];
  if (doubt !== undefined) throw new MongoServerError({ ...doubt, message: doubt['errmsg'] });
  return answer;
}

const VERBS = {
  insert: ['insert', 'documents'],
  update: ['update', 'updates'],
  remove: ['delete', 'deletes'],
} as const;

function commandOf({ kind, writes }: Parcel): (collection: string) => Document {
  const [verb, list] = VERBS[kind];
  return (collection) => ({ [verb]: collection, ordered: true, [list]: writes.map(statementOf) });
}

function refusalOf(failed: Document): Error {
  if (failed['code'] === STALE) return new StoreError('conflict');
  return new MongoServerError({ ...failed, message: failed['errmsg'] });
}

/** Position of the first write of a parcel whose document is not there, 0 if all are. */
export async function firstGone(scope: Scope, { ns, writes }: Parcel): Promise<number> {
  const ids = writes.map(idOf);
  const filter: Filter<Document> = { _id: { $in: ids.map(toBsonId) as never[] } };
  const found = await scope
    .collection(ns)
    .find(filter, { projection: { _id: 1 } })
    .toArray();
  const there = new Set(found.map(({ _id }) => String(_id)));
  return Math.max(
    ids.findIndex((id) => !there.has(id)),
    0,
  );
}
