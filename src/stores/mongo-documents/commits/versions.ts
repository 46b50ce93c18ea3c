// Which states documents are in: found out after a command has told that some were not as expected, but not which.
import type { Document, Filter } from 'mongodb';
import { versionOf } from '../../../lib/document-version.ts';
import type { Write } from '../../ports.ts';
import { fromBson } from '../bson/text.ts';
import { toBsonId } from '../bson/values.ts';
import type { Scope } from '../connection/types.ts';
import type { Parcel } from './parcels.ts';
import { idOf } from './statements.ts';

/** The numbers of writes of the documents that are there, by their ids. */
export async function readVersions(
  scope: Scope,
  { ns, writes }: Pick<Parcel, 'ns' | 'writes'>,
): Promise<ReadonlyMap<string, number>> {
  const filter: Filter<Document> = { _id: { $in: writes.map((write) => toBsonId(idOf(write))) as never[] } };
  const found = await scope
    .collection(ns)
    .find(filter, { projection: { v: 1 }, raw: true })
    .toArray();
  const documents = found.map((bytes) => fromBson(bytes as unknown as Uint8Array));
  return new Map(documents.map((document) => [document._id, versionOf(document)]));
}

/** Position of the first update or removal whose document is gone or in another state; 0 where all are as expected. */
export async function firstStale(scope: Scope, parcel: Parcel): Promise<number> {
  const versions = await readVersions(scope, parcel);
  const isStale = (write: Write) => write.kind !== 'insert' && versions.get(write.id) !== write.v;
  return Math.max(parcel.writes.findIndex(isStale), 0);
}
