// Inspects the server: statistics of one collection (document count, sizes, size of each index), and the list of collections that
// hold documents.

import type { Document } from 'mongodb';
import { errorCodeOf } from '../../errors/errors.ts';
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import type {
  CollectionStats,
  DocumentStore,
  ListedNamespace,
  Namespace,
  OperationOptions,
} from '../ports.ts';
import { type CollectionType, parseCollectionType } from './connection/collection-type.ts';
import { retryRead } from './connection/errors.ts';
import type { IndexCache, KnownIndex, MongoConnection, OperationScope } from './connection/types.ts';
import { INDEX_RECORDS } from './indexes/index-commands.ts';

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
    const code = errorCodeOf(error);
    if (code !== NAMESPACE_NOT_FOUND && code !== COMMAND_NOT_SUPPORTED_ON_VIEW) throw error;
  }
  return measured;
}

/** Sizes by definition name, those of indexes that no definition names by the names that they have. */
function sizesByDefinition(
  sizes: ReadonlyMap<string, number>,
  known: readonly KnownIndex[],
): Readonly<Record<string, number>> {
  const owners = new Map<string, string>();
  for (const { name, definition } of known) if (!owners.has(name)) owners.set(name, definition.name);
  const declared = new Map<string, number>();
  for (const [name, bytes] of sizes) {
    const owner = owners.get(name) ?? name;
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

interface CollectionStatsDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Namespaces with a `database` lie in the database of that name. */
  readonly separateDatabases: boolean;
}

/** Both read whole collections. */
const operationClass = () => 'count' as const;

/** The databases of the store with their indexes, as the server measures them. */
async function databaseBytes(
  scope: OperationScope,
  connection: CollectionStatsDeps['connection'],
): Promise<number> {
  const databases = await connection.databases(scope);
  const sizes = await mapConcurrent(databases, MAX_CONCURRENT, async (name) => {
    const { storageSize, indexSize } = await scope
      .database(name)
      .command({ dbStats: 1, ...scope.timeLimit() });
    return numberOf(storageSize) + numberOf(indexSize);
  });
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** Creates `stats`, `status` and `collections` of the store. */
export function createCollectionStats({
  connection,
  indexes,
  separateDatabases,
}: CollectionStatsDeps): Pick<DocumentStore, 'stats' | 'status' | 'collections'> {
  return {
    stats: (ns, options: OperationOptions = {}) =>
      connection.run({ ...options, operationClass }, (scope) =>
        retryRead(scope, () => collectionStats(scope, ns, indexes.of(ns))),
      ),
    status: () =>
      connection.run({ operationClass }, async (scope) => ({
        bytes: await retryRead(scope, () => databaseBytes(scope, connection)),
        commits: null,
      })),
    collections: () =>
      connection.run({ operationClass }, (scope) =>
        retryRead(scope, () => listNamespaces(scope, { connection, separateDatabases })),
      ),
  };
}

/** Collections that are checked for documents concurrently. */
const MAX_CONCURRENT = 8;

const isReserved = (collection: string) => collection.startsWith('cloister.');

interface ListingOptions {
  readonly connection: Pick<MongoConnection, 'databases'>;
  readonly separateDatabases: boolean;
}

interface ListedCollection {
  readonly name: string;
  readonly kind: CollectionType;
}

/** The collections of a database, without the system collections. */
async function listCollections(
  scope: OperationScope,
  database: string | null,
): Promise<readonly ListedCollection[]> {
  const listing = scope
    .database(database)
    .listCollections({}, { nameOnly: true, authorizedCollections: true });
  const found: ListedCollection[] = [];
  for await (const entry of listing) {
    if (!entry.name.startsWith('system.')) found.push({ name: entry.name, kind: parseCollectionType(entry) });
  }
  return found;
}

const READ_ONLY: Readonly<Partial<Record<CollectionType, string>>> = {
  view: 'it is a view, and its documents are those of other collections',
  'time-series': 'it is a time-series collection, which no import could write',
};

async function holdsDocuments(scope: OperationScope, ns: Namespace): Promise<boolean> {
  const options = { projection: { _id: 1 }, ...scope.timeLimit() };
  return (await scope.collection(ns).findOne({}, options)) !== null;
}

/**
 * The collections of a database as namespaces. With separate databases, that of the connection string is one of them by
 * its name, and the home of the reserved collections, which have none.
 */
function toNamespace(scope: OperationScope, database: string | null, { separateDatabases }: ListingOptions) {
  const own = scope.database(null).databaseName;
  const named = separateDatabases ? (database ?? own) : null;
  return ({ name, kind }: ListedCollection): ListedNamespace => {
    const readOnly = READ_ONLY[kind];
    return {
      database: database === null && isReserved(name) ? null : named,
      collection: name,
      ...(readOnly !== undefined && { readOnly }),
    };
  };
}

/**
 * Every namespace that holds documents, except the store's own index records. Views and time series are always
 * listed.
 */
export async function listNamespaces(
  scope: OperationScope,
  options: ListingOptions,
): Promise<readonly ListedNamespace[]> {
  const found: ListedNamespace[] = [];
  for (const database of await options.connection.databases(scope)) {
    const listed = await listCollections(scope, database);
    found.push(...listed.map(toNamespace(scope, database, options)));
  }
  const candidates = found.filter(
    ({ database, collection }) => database !== null || collection !== INDEX_RECORDS.collection,
  );
  // Read-only collections are not exported, so they are not read: a view runs whatever its author wrote.
  const filled = await mapConcurrent(
    candidates,
    MAX_CONCURRENT,
    async (ns) => ns.readOnly !== undefined || holdsDocuments(scope, ns),
  );
  return candidates.filter((_, at) => filled[at]);
}
