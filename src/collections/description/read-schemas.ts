// The schemas of documents and revisions as they are read.

import type { JsonObject } from '../../lib/json/json.ts';
import { ref } from '../../lib/json/schema-parts.ts';
import type { Collection } from '../model/collection.ts';
import { collectionParts, type DescriptionContext, isUnderscored, namesIn } from './collection-parts.ts';
import { storedSchema } from './field-schemas.ts';
import { internalSchemas, REVISION_SCHEMAS } from './internal-schemas.ts';

/** The name of a collection for people. */
export const titleOf = ({ settings, name }: Collection) => settings.displayName ?? name;

/** The fields that the caller may read, by their names. Nothing is required: requests say which fields they want. */
export function shownFields(
  collection: Collection,
  context: DescriptionContext,
): Readonly<Record<string, JsonObject>> {
  const { hidden } = context.caller.access(collection);
  if (!collectionParts(collection, context).showsFields) return {};
  const shown = [...collection.fields.values()].filter(({ name }) => !hidden.has(name));
  return Object.fromEntries(shown.map((field) => [field.name, storedSchema(collection, field, context)]));
}

/** A document in answers: to reads, and to writes. Of one that the caller may not read it is the `_id` alone. */
export function documentSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { showsFields, revision } = collectionParts(collection, context);
  const { _id = {}, ...internals } = internalSchemas({
    revision: revision ? ref(namesIn(collection, collection, context).revision) : undefined,
    underscored: isUnderscored(collection, context),
  });
  return {
    title: titleOf(collection),
    type: 'object',
    properties: { _id, ...shownFields(collection, context), ...(showsFields && internals) },
  };
}

/** A revision in answers. */
export function revisionSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { _id = {}, ...internals } = internalSchemas({
    underscored: isUnderscored(collection, context),
  });
  // A revision has its own members in the place of fields of these names.
  const properties = { _id, ...shownFields(collection, context), ...internals, ...REVISION_SCHEMAS };
  return {
    title: `${titleOf(collection)}: revision`,
    description: 'A state of a document, as it was then.',
    type: 'object',
    properties,
  };
}
