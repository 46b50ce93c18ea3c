// The schemas of documents as they are created and changed.
import type { JsonObject } from '../../lib/json/json.ts';
import type { Collection, Field } from '../model/collection.ts';
import { recordFieldType } from '../model/media-record-fields.ts';
import { collectionParts, type DescriptionContext, isUnderscored } from './collection-parts.ts';
import { sentSchema } from './field-schemas.ts';
import { ignoredSchemas } from './internal-schemas.ts';
import { shownFields, titleOf } from './read-schemas.ts';

/** True for a field of a media record that only the server sets. */
const isRecordField = ({ settings }: Collection, name: string) =>
  settings.media && recordFieldType(name) !== undefined;

/** The fields that the caller may set. Of those that it may not read, no default is told: it is the value of documents. */
function settableFields(
  collection: Collection,
  context: DescriptionContext,
  form: 'created' | 'changed',
): Readonly<Record<string, JsonObject>> {
  const { hidden, closed } = context.caller.access(collection);
  const { showsFields } = collectionParts(collection, context);
  const settable = [...collection.fields.values()].filter(
    ({ name }) => !closed.has(name) && !isRecordField(collection, name),
  );
  return Object.fromEntries(
    settable.map((field) => {
      const isHidden = hidden.has(field.name);
      const schema = {
        ...sentSchema(collection, field, context, form),
        ...(form === 'created' &&
          showsFields &&
          !isHidden &&
          field.default !== undefined && { default: field.default }),
        ...(isHidden && { writeOnly: true }),
      };
      return [field.name, schema];
    }),
  );
}

/** True where a document without the field is refused: a blank default is no value of a required field. */
const mustBeSent = ({ required, default: value }: Field) => required && (value ?? '') === '';

/** A document to create; of a media collection, the form of an upload. */
export function creationSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { fields, settings } = collection;
  const properties = settableFields(collection, context, 'created');
  const isHooked = settings.hooks?.beforeCreate !== undefined;
  const sent = [...fields.values()].filter(
    (field) => !isHooked && mustBeSent(field) && Object.hasOwn(properties, field.name),
  );
  const required = sent.map(({ name }) => name);
  const underscored = isUnderscored(collection, context);
  const ignored = ignoredSchemas(collection, { holdsRecords: false, underscored });
  return {
    title: `${titleOf(collection)}: new`,
    type: 'object',
    ...(settings.media
      ? uploadMembers(properties, required)
      : {
          ...(required.length > 0 && { required }),
          properties: { ...properties, ...ignored },
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

/** The fields that an update sets or removes. */
export function changeSchema(collection: Collection, context: DescriptionContext): JsonObject {
  const { settings } = collection;
  const properties = {
    ...settableFields(collection, context, 'changed'),
    ...unchangeableFields(collection, context),
    ...ignoredSchemas(collection, {
      holdsRecords: context.registry.holdsRecords(collection),
      underscored: isUnderscored(collection, context),
    }),
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
