// Mixed fields: any JSON value.
import type { FieldTypeRules } from './field-type.ts';

export const mixedField: FieldTypeRules = {
  check: () => undefined,
  valueForm: 'any value',
  normalise: (value) => value,
  // Keywords of texts say nothing of other values, and `items` nothing of what is no list.
  schema: ({ texts, required }) => ({
    ...texts,
    ...(Object.keys(texts).length > 0 && { items: { ...texts } }),
    ...(required && { not: { enum: [null, ''] } }),
  }),
  readOperand: (value) => value,
  operandForm: 'any JSON value',
  supportsCaseInsensitive: true,
  nested: true,
  acceptsAny: true,
  formText: 'json',
};
