// Which states documents are in: found out after a command has told that some were not as expected, but not which.
import type { Document, Filter } from 'mongodb';
import { documentVersion } from '../../../lib/document-version.ts';
import type { Write } from '../../ports.ts';
import { parseBson } from '../bson/bson-to-json.ts';
import { toBsonId } from '../bson/json-to-bson.ts';
import type { OperationScope } from '../connection/types.ts';
import type { WriteBatch } from './batches.ts';
import { writtenId } from './write-operations.ts';

/** The numbers of writes of the documents that are there, by their ids. */
export async function readVersions(
  scope: OperationScope,
  { ns, writes }: Pick<WriteBatch, 'ns' | 'writes'>,
): Promise<ReadonlyMap<string, number>> {
  const filter: Filter<Document> = {
    _id: { $in: writes.map((write) => toBsonId(writtenId(write))) as never[] },
  };
  const found = await scope
    .collection(ns)
    .find(filter, { projection: { v: 1 }, raw: true })
    .toArray();
  const documents = found.map((bytes) => parseBson(bytes as unknown as Uint8Array));
  return new Map(documents.map((document) => [document._id, documentVersion(document)]));
}

/** Position of the first update or removal whose document is gone or in another state; 0 where all are as expected. */
export async function firstStale(scope: OperationScope, batch: WriteBatch): Promise<number> {
  const versions = await readVersions(scope, batch);
  const isStale = (write: Write) => write.kind !== 'insert' && versions.get(write.id) !== write.v;
  return Math.max(batch.writes.findIndex(isStale), 0);
}
