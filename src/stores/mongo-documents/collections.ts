// Which name spaces of a server hold documents.
import { mapSideBySide } from '../../lib/side-by-side.ts';
import type { Namespace } from '../ports.ts';
import type { Connection, Scope } from './connection/types.ts';
import { INDEX_RECORDS } from './indexes/record.ts';

/** Collections that are looked into at the same time. */
const AT_ONCE = 8;

const isReserved = (collection: string) => collection.startsWith('cloister.');

interface Options {
  readonly connection: Pick<Connection, 'databases'>;
  readonly separateDatabases: boolean;
}

/** Names of the real collections, without views and what the server keeps for itself. */
async function collectionsOf(scope: Scope, database: string | null): Promise<readonly string[]> {
  const listing = scope
    .database(database)
    .listCollections({ type: 'collection' }, { nameOnly: true, authorizedCollections: true });
  const names: string[] = [];
  for await (const { name } of listing) if (!name.startsWith('system.')) names.push(name);
  return names;
}

async function holdsDocuments(scope: Scope, ns: Namespace): Promise<boolean> {
  const options = { projection: { _id: 1 }, ...scope.timeLimit() };
  return (await scope.collection(ns).findOne({}, options)) !== null;
}

/**
 * What a database holds, as name spaces. With databases of their own, that of the connection string is one of them by
 * its name, and the home of the reserved collections, which have none.
 */
function asNamespaces(scope: Scope, database: string | null, { separateDatabases }: Options) {
  const own = scope.database(null).databaseName;
  const named = separateDatabases ? (database ?? own) : null;
  return (collection: string): Namespace => ({
    database: database === null && isReserved(collection) ? null : named,
    collection,
  });
}

/** Every name space with documents in it, but for what this store keeps of its own. */
export async function filledNamespaces(scope: Scope, options: Options): Promise<readonly Namespace[]> {
  const found: Namespace[] = [];
  for (const database of await options.connection.databases(scope)) {
    const names = await collectionsOf(scope, database);
    found.push(...names.map(asNamespaces(scope, database, options)));
  }
  const candidates = found.filter(
    ({ database, collection }) => database !== null || collection !== INDEX_RECORDS.collection,
  );
  const filled = await mapSideBySide(candidates, AT_ONCE, (ns) => holdsDocuments(scope, ns));
  return candidates.filter((_, at) => filled[at]);
}
