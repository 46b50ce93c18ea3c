// Mixed fields: any JSON value.
import type { FieldTypeRules } from './field-type.ts';

export const mixedField: FieldTypeRules = {
  check: () => undefined,
  normalise: (value) => value,
  readOperand: (value) => value,
  operandForm: 'any JSON value',
  supportsCaseInsensitive: true,
  nested: true,
  acceptsAny: true,
  formText: 'json',
};
