// Inspects the server: statistics of one collection, and the list of collections that hold documents.
import { mapConcurrent } from '../../lib/async/concurrency.ts';
import type { DocumentStore, ListedNamespace, Namespace, OperationOptions } from '../ports.ts';
import { collectionStats } from './collection-stats.ts';
import { type CollectionType, parseCollectionType } from './connection/collection-type.ts';
import { retryRead } from './connection/retry.ts';
import type { IndexCache, MongoConnection, OperationScope } from './connection/types.ts';
import { INDEX_RECORDS } from './indexes/index-records.ts';

interface CatalogDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Namespaces with a `database` lie in the database of that name. */
  readonly separateDatabases: boolean;
}

/** Both read whole collections. */
const operationClass = () => 'count' as const;

/** Creates `stats` and `collections` of the store. */
export function createCatalog({
  connection,
  indexes,
  separateDatabases,
}: CatalogDeps): Pick<DocumentStore, 'stats' | 'collections'> {
  return {
    stats: (ns, options: OperationOptions = {}) =>
      connection.run({ ...options, operationClass }, (scope) =>
        retryRead(scope, () => collectionStats(scope, ns, indexes.of(ns))),
      ),
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
