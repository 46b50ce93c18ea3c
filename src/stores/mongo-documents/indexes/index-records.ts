// Records which indexes this server created, so that it never drops those of others. One document per collection.
import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import type { Namespace } from '../../ports.ts';
import type { OperationScope } from '../connection/types.ts';
import { type IndexSpec, isSameIndex, type ServerIndex } from './index-spec.ts';

/** Where the records lie, in the database of the connection string. */
export const INDEX_RECORDS: Namespace = { database: null, collection: 'cloister.indexes' };

const DUPLICATE_KEY = 11_000;

function idOf({ database, collection }: Namespace): ObjectId {
  const digest = createHash('sha256')
    .update(JSON.stringify([database, collection]))
    .digest('hex');
  return new ObjectId(digest.slice(0, 24));
}

const storedSpec = ({ name, keys, unique, sparse, folding }: IndexSpec): IndexSpec => ({
  name,
  keys,
  unique,
  sparse,
  folding,
});

function isSpec(value: unknown): value is IndexSpec {
  if (typeof value !== 'object' || value === null) return false;
  const { name, keys } = value as { readonly name?: unknown; readonly keys?: unknown };
  return typeof name === 'string' && Array.isArray(keys);
}

/** Resolves with the test whether this server created an index and the index is unchanged. */
export async function readOwnership(
  scope: OperationScope,
  ns: Namespace,
): Promise<(index: ServerIndex) => boolean> {
  const found = await scope.collection(INDEX_RECORDS).findOne({ _id: idOf(ns) });
  const recorded: unknown = found?.['indexes'];
  const specs = Array.isArray(recorded) ? recorded.filter(isSpec) : [];
  const byName = Map.groupBy(specs, ({ name }) => name);
  return (index) =>
    index.isBare && (byName.get(index.name)?.some((spec) => isSameIndex(spec, index)) ?? false);
}

/** Records these indexes as own. Called before they are built, so that a crash leaves no unrecorded index. */
export async function addRecords(
  scope: OperationScope,
  ns: Namespace,
  specs: readonly IndexSpec[],
): Promise<void> {
  if (specs.length === 0) return;
  const change = {
    $setOnInsert: { database: ns.database, collection: ns.collection },
    $addToSet: { indexes: { $each: specs.map(storedSpec) } },
  };
  const write = () => scope.collection(INDEX_RECORDS).updateOne({ _id: idOf(ns) }, change, { upsert: true });
  try {
    await write();
  } catch (error) {
    // Another process made the document at the same moment.
    if ((error as { readonly code?: unknown }).code !== DUPLICATE_KEY) throw error;
    await write();
  }
}

/** Forgets indexes that are gone. */
export async function removeRecords(
  scope: OperationScope,
  ns: Namespace,
  specs: readonly IndexSpec[],
): Promise<void> {
  if (specs.length === 0) return;
  const change = { $pullAll: { indexes: specs.map(storedSpec) } };
  await scope.collection(INDEX_RECORDS).updateOne({ _id: idOf(ns) }, change as object);
}
