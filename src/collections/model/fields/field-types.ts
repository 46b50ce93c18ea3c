// The table of field types: a new type is one module and one line here.
import type { FieldType } from '../collection.ts';
import { booleanField } from './boolean.ts';
import { dateTimeField } from './date-time.ts';
import type { FieldTypeRules } from './field-type.ts';
import { mixedField } from './mixed.ts';
import { numberField } from './number.ts';
import { objectField } from './object.ts';
import { objectIdField } from './object-id.ts';
import { referenceField } from './reference.ts';
import { stringField } from './string.ts';

export const FIELD_TYPES: Readonly<Record<FieldType, FieldTypeRules>> = {
  String: stringField,
  Number: numberField,
  Boolean: booleanField,
  Mixed: mixedField,
  Object: objectField,
  ObjectID: objectIdField,
  Reference: referenceField,
  DateTime: dateTimeField,
};
