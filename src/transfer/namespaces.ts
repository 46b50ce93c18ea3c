// The namespaces that belong to a site: those that its addresses can reach, without the server's own.
import { collectionNameIssue, databaseNameIssue } from '../collections/specifications/collection-address.ts';
import type { Namespace } from '../stores/ports.ts';

const SEPARATE_DATABASES_SETTING = '`database.enableCollectionDatabases`';

/**
 * Says why a namespace does not belong to a site; undefined if it does. `separateDatabases` is the setting
 * `database.enableCollectionDatabases`: without it no address reaches the collections of a database of its own.
 */
export function findNamespaceIssue(
  { database, collection }: Namespace,
  separateDatabases: boolean,
): string | undefined {
  const nameIssue = collectionNameIssue(collection, database ?? '');
  if (nameIssue !== undefined) return `the name of the collection ${nameIssue}`;
  if (database === null)
    return separateDatabases ? `it has no database, but ${SEPARATE_DATABASES_SETTING} is on` : undefined;
  const databaseIssue = databaseNameIssue(database);
  if (databaseIssue !== undefined) return `the name of the database ${databaseIssue}`;
  return separateDatabases ? undefined : `it has a database, but ${SEPARATE_DATABASES_SETTING} is off`;
}

/** The server's own namespaces: clients, the audit log, versions of posted code and the like. A backup has them, no export. */
export const isServerNamespace = ({ database, collection }: Namespace): boolean =>
  database === null && collection.startsWith('cloister.');

/** The namespace as messages show it. */
export const formatNamespace = ({ database, collection }: Namespace): string =>
  database === null ? collection : `${database}/${collection}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Sorts by database, those without one first, then by collection. */
export function compareNamespaces(a: Namespace, b: Namespace): number {
  return compare(a.database ?? '', b.database ?? '') || compare(a.collection, b.collection);
}
