// Object fields: an object or a list of anything, no scalar.
import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

export const objectField: FieldTypeRules = {
  check: (value) => (typeof value === 'object' ? undefined : WRONG_TYPE),
  valueForm: 'an object, or a list',
  normalise: (value) => value,
  schema: ({ texts }) => ({
    type: ['object', 'array'],
    // Says nothing of elements that are no texts.
    ...(Object.keys(texts).length > 0 && { items: { ...texts } }),
  }),
  readOperand: (value) => value,
  operandForm: 'any JSON value',
  supportsCaseInsensitive: false,
  nested: true,
  formText: 'json',
};
