// Where the Reference fields of a collection point.
import type { Collection, Field } from './collection.ts';
import type { Registry } from './registry.ts';

/**
 * The live collection behind a Reference field, in the same version; undefined where there is none. Where the folders
 * share their documents, a database that is named but has no such collection means the field's own.
 */
export function referenceTarget(
  registry: Pick<Registry, 'get'>,
  { version, database: own, name: self, namespace }: Collection,
  { reference }: Field,
): Collection | undefined {
  const { database = own, collection = self } = reference;
  const named = registry.get(version, database, collection);
  return named ?? (namespace.database === null ? registry.get(version, own, collection) : undefined);
}
