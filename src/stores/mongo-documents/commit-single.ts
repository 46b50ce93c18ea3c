// One write is one command: the server applies it whole or not at all, and the driver sends it again after a failover.
import type { Document } from 'mongodb';
import { StoreError } from '../../errors.ts';
import type { Write } from '../ports.ts';
import { toBson } from './bson-values.ts';
import { changeOf, isReplacement, stateFilter } from './commit-statements.ts';
import type { Scope } from './connection-types.ts';

/** Throws `conflict`, or what the driver throws. The server gives up after `maxTimeMS`. */
export async function writeOne(scope: Scope, write: Write, maxTimeMS?: number): Promise<void> {
  if ((await matchedBy(scope, write, maxTimeMS)) !== 1) throw new StoreError('conflict');
}

async function matchedBy(scope: Scope, write: Write, maxTimeMS: number | undefined): Promise<number> {
  const collection = scope.collection(write.ns);
  const options = maxTimeMS === undefined ? {} : { maxTimeMS };
  if (write.kind === 'insert') {
    await collection.insertOne(toBson(write.document), options);
    return 1;
  }
  const filter = stateFilter(write.id, write.v);
  if (write.kind === 'remove') return (await collection.deleteOne(filter, options)).deletedCount;
  const change: Document = changeOf(write);
  const done = isReplacement(write)
    ? await collection.replaceOne(filter, change, options)
    : await collection.updateOne(filter, change, options);
  return done.matchedCount;
}
