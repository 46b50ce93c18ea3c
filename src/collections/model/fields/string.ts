// String fields: a text, or a list of texts.

import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

const isText = (value: unknown) => typeof value === 'string';

export const stringField: FieldTypeRules = {
  check: (value) => (isText(value) || (Array.isArray(value) && value.every(isText)) ? undefined : WRONG_TYPE),
  normalise: (value) => value,
  coerceOperand: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : value),
  supportsCaseInsensitive: true,
};
