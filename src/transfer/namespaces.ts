// Which name spaces a site is made of: those that its addresses can reach, and none that the server keeps for itself.
import { checkCollectionName, checkDatabaseName } from '../collections/specifications/address.ts';
import type { Namespace } from '../stores/ports.ts';

const SETTING = '`database.enableCollectionDatabases`';

/**
 * What keeps a name space out of a site, if anything. `separateDatabases` is the setting
 * `database.enableCollectionDatabases`: without it no address reaches the collections of a database of its own.
 */
export function findNamespaceIssue(
  { database, collection }: Namespace,
  separateDatabases: boolean,
): string | undefined {
  const name = checkCollectionName(collection, database ?? '');
  if (name !== undefined) return `the name of the collection ${name}`;
  if (database === null) return separateDatabases ? `it has no database, but ${SETTING} is on` : undefined;
  const fault = checkDatabaseName(database);
  if (fault !== undefined) return `the name of the database ${fault}`;
  return separateDatabases ? undefined : `it has a database, but ${SETTING} is off`;
}

/** A name space as people read it. */
export const formatNamespace = ({ database, collection }: Namespace): string =>
  database === null ? collection : `${database}/${collection}`;

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Without a database first, then by database and collection. */
export function compareNamespaces(a: Namespace, b: Namespace): number {
  return compare(a.database ?? '', b.database ?? '') || compare(a.collection, b.collection);
}
