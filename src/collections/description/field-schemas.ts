// The JSON Schema of a field: of its values as they are returned, and as clients may send them, with what its author says of it.

import { isJsonObject, type Json, type JsonObject } from '../../lib/json/json.ts';
import { ref } from '../../lib/json/schema-parts.ts';
import {
  type Collection,
  type Field,
  type FieldValidation,
  isReference,
  type PatternRule,
} from '../model/collection.ts';
import type { SchemaRules, TextKeywords } from '../model/fields/field-type.ts';
import { FIELD_TYPES } from '../model/fields/field-types.ts';
import { ID_PATTERN } from '../model/fields/object-id.ts';
import { recordFieldSchema } from '../model/media-record-fields.ts';
import { collectionParts, type DescriptionContext, describedTarget, namesIn } from './collection-parts.ts';

const textOf = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);

/** `label`, `comments` and `example` of the specification. */
function annotations({ source }: Collection, name: string): JsonObject {
  const fields = source['fields'];
  const entry = isJsonObject(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!isJsonObject(entry)) return {};
  const { label, comments, example } = entry;
  const [title, description] = [textOf(label), textOf(comments)];
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(example !== undefined && { examples: [example] }),
  };
}

/** Null clears a field that is not required, whatever its type. */
function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (type !== undefined) return { ...schema, type: [type].flat().concat('null') as Json };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] as Json };
  return schema;
}

/** `(?i:…)` and the like: younger than most engines, and the one place without flags where ours differs from ECMA-262. */
const MODIFIERS = /\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):/;

/**
 * The pattern of a rule where ECMA-262 under the flag `u`, which is what JSON Schema asks for, matches the same texts. Undefined for
 * one with flags, which a schema cannot carry, and for one that is read without `u` here, because `u` refuses it. What is left is read
 * as under `u` by whichever engine runs it: by the linear one, which translates that syntax, or by the native one.
 */
export function portablePattern({
  pattern,
  flags,
}: Pick<PatternRule, 'pattern' | 'flags'>): string | undefined {
  if (flags !== '' || MODIFIERS.test(pattern)) return undefined;
  try {
    new RegExp(pattern, 'u');
    return pattern;
  } catch {
    return undefined;
  }
}

/** Keywords that hold for each text of a field. Lengths count code points in either. */
export function textKeywords({ minLength, maxLength, regex }: FieldValidation): TextKeywords {
  const pattern = regex && portablePattern(regex);
  return {
    ...(minLength !== undefined && minLength > 0 && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...(pattern !== undefined && { pattern }),
  };
}

function valueSchema(
  collection: Collection,
  field: Field,
  { form, documents }: { readonly form: SchemaRules['form']; readonly documents: readonly JsonObject[] },
): JsonObject {
  const { required, validation } = field;
  const ofType = FIELD_TYPES[field.type].schema({
    form,
    required,
    documents,
    texts: textKeywords(validation),
  });
  const isInteger = validation.value?.integer === true && ofType['type'] === 'number';
  const schema = isInteger && form !== 'stored' ? { ...ofType, type: 'integer' } : ofType;
  return { ...annotations(collection, field.name), ...(required ? schema : orNull(schema)) };
}

/** The values of a field in answers. Those of a reference are ids, or the documents behind them where the caller may read these. */
export function storedSchema(collection: Collection, field: Field, context: DescriptionContext): JsonObject {
  const { name } = field;
  const record = collection.settings.media ? recordFieldSchema(name) : undefined;
  if (record !== undefined) return { ...record, ...annotations(collection, name), readOnly: true };
  const target = isReference(field) ? describedTarget(collection, field, context)?.target : undefined;
  const isReadable = target !== undefined && context.caller.access(target).read !== null;
  const documents = isReadable ? [ref(namesIn(target, collection, context).document)] : [];
  return valueSchema(collection, field, { form: 'stored', documents });
}

/**
 * The values of a field that a client may send. In the place of an id a reference takes a document: a new one, which is created with
 * this one, or one with its `_id`, whose fields are changed.
 */
export function sentSchema(
  collection: Collection,
  field: Field,
  context: DescriptionContext,
  form: 'created' | 'changed',
): JsonObject {
  const documents = isReference(field) ? sentDocuments(collection, field, context) : [];
  return valueSchema(collection, field, { form, documents });
}

const IDENTIFIED: JsonObject = {
  required: ['_id'],
  properties: { _id: { type: 'string', pattern: ID_PATTERN } },
};

function sentDocuments(
  collection: Collection,
  field: Field,
  context: DescriptionContext,
): readonly JsonObject[] {
  const described = describedTarget(collection, field, context);
  // Of a document that cannot be written through the field, nothing counts but its id.
  if (described === undefined || !described.isWritable) return [{ type: 'object', ...IDENTIFIED }];
  const { target } = described;
  const names = namesIn(target, collection, context);
  const parts = collectionParts(target, context);
  // A fetched document may be sent back, unchanged, also where it may not be changed.
  const existing = parts.change ? { ...ref(names.change), ...IDENTIFIED } : { type: 'object', ...IDENTIFIED };
  // With an `_id` it is never a new one.
  const created = { ...ref(names.creation), not: { required: ['_id'] } };
  return parts.creation ? [created, existing] : [existing];
}
