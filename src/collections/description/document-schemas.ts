// The JSON Schemas (2020-12) of a collection's documents for one caller, made from the specification and from what the caller may do:
// as documents are read, created and changed, and of answers that hold them.
//
// They say what holds of documents that were written under the present specification, by its rules, and agree with what the server does
// with two kinds of exception. What the server refuses and a schema accepts, as none can say it: the time zones and days of a DateTime;
// rules of texts on numbers; patterns with flags; lone surrogates, NUL in names, inexact integers; limits of depth, size and number;
// unique indexes, conditions of access rules, ids of documents that do not exist. And what the server takes and a schema refuses:
// - bodies of older clients (`{query, update}`, `{update}`), which are not described;
// - an update with values that break a rule, or are not declared, where the document holds the same: from an earlier specification, or
//   of another collection that shares the documents;
// - what only a hook makes valid. Where there are before-hooks nothing is required and other names may be sent, but values are
//   described as they are stored. Likewise what `afterGet` returns is not described.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Collection, Field } from '../model/collection.ts';
import { recordFieldType } from '../model/media-record-fields.ts';
import { COUNT_SCHEMA, pageSchema, SHARED_SCHEMAS, STATS_SCHEMA } from './answer-schemas.ts';
import { schemaNames, schemaReference } from './collection-key.ts';
import { collectionParts, type DescriptionContext } from './collection-parts.ts';
import { sentSchema, storedSchema } from './field-schemas.ts';
import { ignoredSchemas, internalSchemas, REVISION_SCHEMAS } from './internal-schemas.ts';

/** Schemas of a collection, most of them references to components. */
export interface CollectionSchemas {
  readonly document: JsonObject;
  /** A document to create, or the form of an upload. Any object where the caller may create none. */
  readonly created: JsonObject;
  /** The fields to set. Any object where the caller may change none. */
  readonly changed: JsonObject;
  readonly page: JsonObject;
  readonly revisions: JsonObject;
  readonly count: JsonObject;
  readonly stats: JsonObject;
}

export interface DocumentSchemas {
  /** Component schemas by name. They refer to those of other collections that the caller may read or write. */
  readonly components: Readonly<Record<string, JsonObject>>;
  readonly schemas: CollectionSchemas;
}

const ANY_OBJECT: JsonObject = { type: 'object' };

/** Makes the schemas of a collection for the caller of the context. Every collection that the caller may use needs its own. */
export function createDocumentSchemas(collection: Collection, context: DescriptionContext): DocumentSchemas {
  const names = schemaNames(collection);
  const parts = collectionParts(collection, context);
  const components = {
    ...SHARED_SCHEMAS,
    [names.document]: documentSchema(collection, context),
    ...(parts.creation && { [names.creation]: creationSchema(collection, context) }),
    ...(parts.change && { [names.change]: changeSchema(collection, context) }),
    ...(parts.revision && { [names.revision]: revisionSchema(collection, context) }),
  };
  const document = schemaReference(names.document);
  const schemas = {
    document,
    created: parts.creation ? schemaReference(names.creation) : ANY_OBJECT,
    changed: parts.change ? schemaReference(names.change) : ANY_OBJECT,
    page: pageSchema(document),
    revisions: pageSchema(parts.revision ? schemaReference(names.revision) : ANY_OBJECT),
    count: COUNT_SCHEMA,
    stats: STATS_SCHEMA,
  };
  return { components, schemas };
}

const titleOf = ({ settings, name }: Collection) => settings.displayName ?? name;

const isRecordField = ({ settings }: Collection, name: string) =>
  settings.media && recordFieldType(name) !== undefined;

/** The fields that the caller may read, by their names. Nothing is required: requests say which fields they want. */
function shownFields(
  collection: Collection,
  context: DescriptionContext,
): Readonly<Record<string, JsonObject>> {
  const { hidden } = context.caller.access(collection);
  if (!collectionParts(collection, context).showsFields) return {};
  const shown = [...collection.fields.values()].filter(({ name }) => !hidden.has(name));
  return Object.fromEntries(
    shown.map((field) => {
      const schema = storedSchema(collection, field, context);
      return [field.name, isRecordField(collection, field.name) ? { ...schema, readOnly: true } : schema];
    }),
  );
}

function documentSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { showsFields, revision } = collectionParts(collection, context);
  const { _id = {}, ...internals } = internalSchemas(
    revision ? schemaReference(schemaNames(collection).revision) : undefined,
  );
  return {
    title: titleOf(collection),
    type: 'object',
    properties: { _id, ...shownFields(collection, context), ...(showsFields && internals) },
  };
}

function revisionSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { _id = {}, ...internals } = internalSchemas();
  // A revision has its own members in the place of fields of these names.
  const properties = { _id, ...shownFields(collection, context), ...internals, ...REVISION_SCHEMAS };
  return {
    title: `${titleOf(collection)}: revision`,
    description: 'A state of a document, as it was then.',
    type: 'object',
    properties,
  };
}

/** The fields that the caller may set. Of those that it may not read, no default is told: it is the value of documents. */
function settableFields(
  collection: Collection,
  context: DescriptionContext,
  { withDefaults }: { readonly withDefaults: boolean },
): Readonly<Record<string, JsonObject>> {
  const { hidden, closed } = context.caller.access(collection);
  const settable = [...collection.fields.values()].filter(
    ({ name }) => !closed.has(name) && !isRecordField(collection, name),
  );
  return Object.fromEntries(
    settable.map((field) => {
      const isHidden = hidden.has(field.name);
      const schema = {
        ...sentSchema(collection, field, context),
        ...(withDefaults && !isHidden && field.default !== undefined && { default: field.default }),
        ...(isHidden && { writeOnly: true }),
      };
      return [field.name, schema];
    }),
  );
}

/** True where a document without the field is refused: a blank default is no value of a required field. */
const mustBeSent = ({ required, default: value }: Field) => required && (value ?? '') === '';

function creationSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { fields, settings } = collection;
  const properties = settableFields(collection, context, { withDefaults: true });
  const isHooked = settings.hooks?.beforeCreate !== undefined;
  const sent = [...fields.values()].filter(
    (field) => !isHooked && mustBeSent(field) && Object.hasOwn(properties, field.name),
  );
  const required = sent.map(({ name }) => name);
  return {
    title: `${titleOf(collection)}: new`,
    type: 'object',
    ...(settings.media
      ? uploadMembers(properties, required)
      : {
          ...(required.length > 0 && { required }),
          properties: { ...properties, ...ignoredSchemas(collection, false) },
          ...(!isHooked && { additionalProperties: false }),
        }),
  };
}

const FILE: JsonObject = {
  type: 'string',
  format: 'binary',
  contentMediaType: 'application/octet-stream',
  description: 'The file. A form may have several, under any names: each gets a record of its own.',
};

/** The parts of a form. Other ones are ignored. */
function uploadMembers(
  fields: Readonly<Record<string, JsonObject>>,
  required: readonly string[],
): JsonObject {
  return { required: [...required, 'file'], properties: { ...fields, file: FILE } };
}

const UNSET_SCHEMA: JsonObject = {
  type: 'array',
  items: { type: 'string' },
  description: 'Names of fields to remove.',
};

function changeSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { settings } = collection;
  const properties = {
    ...settableFields(collection, context, { withDefaults: false }),
    ...unchangeableFields(collection, context),
    ...ignoredSchemas(collection, context.registry.holdsRecords(collection)),
    $unset: UNSET_SCHEMA,
  };
  const isHooked = settings.hooks?.beforeUpdate !== undefined;
  return {
    title: `${titleOf(collection)}: changes`,
    description: 'The fields to set. Others stay as they are; a fetched document can be sent back as it is.',
    type: 'object',
    properties,
    ...(!isHooked && { additionalProperties: false }),
  };
}

/** Fields that the caller may read and not write: the server takes them as they were fetched, and nothing else. */
function unchangeableFields(
  collection: Collection,
  context: DescriptionContext,
): Readonly<Record<string, JsonObject>> {
  const { closed } = context.caller.access(collection);
  const shown = Object.entries(shownFields(collection, context)).filter(([name]) => closed.has(name));
  return Object.fromEntries(shown.map(([name, schema]) => [name, { ...schema, readOnly: true }]));
}
