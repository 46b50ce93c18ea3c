// One write is one command: the server applies it whole or not at all, and the driver sends it again after a failover.
import type { Collection, DeleteOptions } from 'mongodb';
import { StoreError } from '../../../errors.ts';
import type { Write } from '../../ports.ts';
import { toBson } from '../bson/json-to-bson.ts';
import type { OperationScope } from '../connection/types.ts';
import { stateFilter, updateOperation } from './write-operations.ts';

/** Milliseconds that the server may take, and what it waits for if that is not what every write waits for. */
type SingleWriteOptions = Pick<DeleteOptions, 'maxTimeMS' | 'writeConcern' | 'session'>;

/** Throws `conflict`, or what the driver throws. */
export async function writeOne(
  scope: OperationScope,
  write: Write,
  sending: SingleWriteOptions,
): Promise<void> {
  if ((await matchedCount(scope.collection(write.ns), write, sending)) !== 1)
    throw new StoreError('conflict');
}

async function matchedCount(
  collection: Collection,
  write: Write,
  options: SingleWriteOptions,
): Promise<number> {
  if (write.kind === 'insert') {
    await collection.insertOne(toBson(write.document), options);
    return 1;
  }
  const filter = stateFilter(write.id, write.v);
  if (write.kind === 'remove') return (await collection.deleteOne(filter, options)).deletedCount;
  return (await collection.updateOne(filter, updateOperation(write), options)).matchedCount;
}
