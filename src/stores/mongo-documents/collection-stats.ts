// Reads the statistics of a collection: document count, sizes, and the size of each index.
import { type Document, MongoServerError } from 'mongodb';
import type { CollectionStats, Namespace } from '../ports.ts';
import type { KnownIndex, OperationScope } from './connection/types.ts';
import { shadowedName } from './indexes/index-plan.ts';

const NAMESPACE_NOT_FOUND = 26;
/** CommandNotSupportedOnView: a view occupies no storage. */
const COMMAND_NOT_SUPPORTED_ON_VIEW = 166;

interface StorageStats {
  size: number;
  storageSize: number;
  /** Bytes by the name in the database. */
  readonly indexes: Map<string, number>;
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

function addShard({ storageStats }: Document, measured: StorageStats): void {
  measured.size += numberOf(storageStats.size);
  measured.storageSize += numberOf(storageStats.storageSize);
  for (const [name, bytes] of Object.entries(storageStats.indexSizes ?? {})) {
    measured.indexes.set(name, (measured.indexes.get(name) ?? 0) + numberOf(bytes));
  }
}

async function readStorageStats(scope: OperationScope, ns: Namespace): Promise<StorageStats> {
  const measured: StorageStats = { size: 0, storageSize: 0, indexes: new Map() };
  const stages = [
    { $collStats: { storageStats: {} } },
    { $project: { 'storageStats.size': 1, 'storageStats.storageSize': 1, 'storageStats.indexSizes': 1 } },
  ];
  try {
    // One document a shard.
    for await (const part of scope.collection(ns).aggregate(stages, scope.timeLimit()))
      addShard(part, measured);
  } catch (error) {
    const code = error instanceof MongoServerError ? error.code : undefined;
    if (code !== NAMESPACE_NOT_FOUND && code !== COMMAND_NOT_SUPPORTED_ON_VIEW) throw error;
  }
  return measured;
}

/** Sizes by definition name. The size of a shadow index is added to that of its index. */
function sizesByDefinition(
  sizes: ReadonlyMap<string, number>,
  known: readonly KnownIndex[],
): Readonly<Record<string, number>> {
  const owners = new Map<string, string>();
  for (const { name, shadow, definition } of known) {
    if (!owners.has(name)) owners.set(name, definition.name);
    if (shadow !== undefined) owners.set(shadow, definition.name);
  }
  const ownerOf = (name: string): string => {
    const base = shadowedName(name);
    const isTwin = base !== undefined && sizes.has(base);
    return owners.get(name) ?? (isTwin ? (owners.get(base) ?? base) : name);
  };
  const declared = new Map<string, number>();
  for (const [name, bytes] of sizes) {
    const owner = ownerOf(name);
    declared.set(owner, (declared.get(owner) ?? 0) + bytes);
  }
  // Indexes that are still to be built in the background are listed with size 0.
  for (const { name, definition } of sizes.size === 0 ? [] : known) {
    if (!sizes.has(name)) declared.set(definition.name, 0);
  }
  return Object.fromEntries(declared);
}

/**
 * The count is exact; sizes are the server's statistics, in bytes. Indexes of other programs are among
 * them, as they are on the disk.
 */
export async function collectionStats(
  scope: OperationScope,
  ns: Namespace,
  known: readonly KnownIndex[],
): Promise<CollectionStats> {
  const [count, { size, storageSize, indexes }] = await Promise.all([
    // The server's own number may be off after a crash.
    scope.collection(ns).countDocuments({}, { hint: '_id_', ...scope.readOptions(), ...scope.timeLimit() }),
    readStorageStats(scope, ns),
  ]);
  const indexSizes = sizesByDefinition(indexes, known);
  return {
    count,
    size,
    averageObjectSize: count === 0 ? 0 : size / count,
    storageSize,
    indexes: Object.keys(indexSizes).length,
    totalIndexSize: Object.values(indexSizes).reduce((sum, bytes) => sum + bytes, 0),
    indexSizes,
  };
}
