// Finds the Reference fields of a collection and the collections they point at.
import type { Collection, Field } from './collection.ts';
import { FIELD_TYPES } from './fields/field-types.ts';
import type { Registry } from './registry.ts';

/** True for a field whose values are ids of documents. */
export function isReference(field: Field | undefined): field is Field {
  return field !== undefined && FIELD_TYPES[field.type].reference === true;
}

/** The Reference fields of a collection. */
export function referenceFields({ fields }: Pick<Collection, 'fields'>): readonly Field[] {
  return [...fields.values()].filter(isReference);
}

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
