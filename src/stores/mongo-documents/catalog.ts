// What there is as a whole: the name spaces of a server, and the measure of one.
import type { DocumentStore, OperationOptions } from '../ports.ts';
import { collectionStats } from './collection-stats.ts';
import { retryRead } from './connection/retry.ts';
import type { IndexCache, MongoConnection } from './connection/types.ts';
import { listNamespaces } from './namespace-listing.ts';

interface CatalogDeps {
  readonly connection: MongoConnection;
  readonly indexes: IndexCache;
  /** Name spaces with a `database` are databases of that name. */
  readonly separateDatabases: boolean;
}

/** Both look at whole collections. */
const operationClass = () => 'count' as const;

/** Joins the connection with what is known of indexes. */
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
