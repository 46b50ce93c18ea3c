// Maps namespaces to databases and collections of the server.
import type { Namespace } from '../../ports.ts';

/** The database of a connection string that names none. */
export const DEFAULT_DATABASE = 'cloister';

/** Limits of database names: https://www.mongodb.com/docs/manual/reference/limits/ */
const MAX_BYTES = 63;
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the forbidden ones.
const FORBIDDEN_CHARACTERS = /[/\\. "$*<>:|?\u0000]/;

/** Databases that belong to the server. */
const SYSTEM_DATABASES: ReadonlySet<string> = new Set(['admin', 'local', 'config']);

/** Whether documents may be kept in a database of this name. */
export function isDatabaseName(name: string): boolean {
  const fits = name !== '' && Buffer.byteLength(name) <= MAX_BYTES;
  return fits && !FORBIDDEN_CHARACTERS.test(name) && !SYSTEM_DATABASES.has(name);
}

/** The database and collection of a namespace; `own` is the database of the connection string. */
export function locateNamespace(
  ns: Namespace,
  own: string,
): { readonly database: string; readonly collection: string } {
  return { database: ns.database ?? own, collection: ns.collection };
}

/** The databases as namespaces name them: null for that of the connection string. */
export function namespaceDatabases(databases: readonly string[], own: string): readonly (string | null)[] {
  return [null, ...databases.filter((name) => name !== own && !SYSTEM_DATABASES.has(name))];
}
