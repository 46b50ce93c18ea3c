// Which name spaces of a server hold documents.
import { mapSideBySide } from '../../lib/side-by-side.ts';
import type { FoundNamespace, Namespace } from '../ports.ts';
import type { Connection, Scope } from './connection/types.ts';
import { INDEX_RECORDS } from './indexes/record.ts';
import { type CollectionKind, kindOf } from './kinds.ts';

/** Collections that are looked into at the same time. */
const AT_ONCE = 8;

const isReserved = (collection: string) => collection.startsWith('cloister.');

interface Options {
  readonly connection: Pick<Connection, 'databases'>;
  readonly separateDatabases: boolean;
}

interface Listed {
  readonly name: string;
  readonly kind: CollectionKind;
}

/** What a database holds, without what the server keeps for itself. */
async function collectionsOf(scope: Scope, database: string | null): Promise<readonly Listed[]> {
  const listing = scope
    .database(database)
    .listCollections({}, { nameOnly: true, authorizedCollections: true });
  const found: Listed[] = [];
  for await (const entry of listing) {
    if (!entry.name.startsWith('system.')) found.push({ name: entry.name, kind: kindOf(entry) });
  }
  return found;
}

const READ_ONLY: Readonly<Partial<Record<CollectionKind, string>>> = {
  view: 'it is a view, and its documents are those of other collections',
  'time-series': 'it is a time-series collection, which no import could write',
};

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
  return ({ name, kind }: Listed): FoundNamespace => {
    const readOnly = READ_ONLY[kind];
    return {
      database: database === null && isReserved(name) ? null : named,
      collection: name,
      ...(readOnly !== undefined && { readOnly }),
    };
  };
}

/** Every name space with documents in it, but for what this store keeps of its own. Views and their like always count. */
export async function filledNamespaces(scope: Scope, options: Options): Promise<readonly FoundNamespace[]> {
  const found: FoundNamespace[] = [];
  for (const database of await options.connection.databases(scope)) {
    const listed = await collectionsOf(scope, database);
    found.push(...listed.map(asNamespaces(scope, database, options)));
  }
  const candidates = found.filter(
    ({ database, collection }) => database !== null || collection !== INDEX_RECORDS.collection,
  );
  // What is not exported anyway is not looked into: reading a view runs whatever its maker wrote.
  const filled = await mapSideBySide(
    candidates,
    AT_ONCE,
    async (ns) => ns.readOnly !== undefined || holdsDocuments(scope, ns),
  );
  return candidates.filter((_, at) => filled[at]);
}
