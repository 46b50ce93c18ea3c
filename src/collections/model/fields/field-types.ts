// The table of field types. Adding a type takes its rules in a file beside this one, one row here and one test.

import { dateTimeField } from './date-time.ts';
import type { FieldTypeRules } from './field-type.ts';
import { objectIdField, referenceField } from './object-id.ts';
import { booleanField, mixedField, numberField, objectField, stringField } from './plain-types.ts';

const TYPES = {
  String: stringField,
  Number: numberField,
  Boolean: booleanField,
  Mixed: mixedField,
  Object: objectField,
  ObjectID: objectIdField,
  Reference: referenceField,
  DateTime: dateTimeField,
} satisfies Readonly<Record<string, FieldTypeRules>>;

/** The name of a field type in specifications. */
export type FieldType = keyof typeof TYPES;

export const FIELD_TYPES: Readonly<Record<FieldType, FieldTypeRules>> = TYPES;

/** The type of a field whose specification names none. */
export const DEFAULT_FIELD_TYPE: FieldType = 'String';

/** Stands in for a type that does not exist, so that the rest of the field is checked too. */
export const FALLBACK_FIELD_TYPE: FieldType = 'Mixed';

export function isFieldType(name: string): name is FieldType {
  return Object.hasOwn(FIELD_TYPES, name);
}
