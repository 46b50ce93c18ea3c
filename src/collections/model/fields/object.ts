// Object fields: an object or a list of anything, no scalar.
import type { FieldTypeRules } from './field-type.ts';
import { WRONG_TYPE } from './problems.ts';

export const objectField: FieldTypeRules = {
  check: (value) => (typeof value === 'object' ? undefined : WRONG_TYPE),
  normalise: (value) => value,
  coerceOperand: (value) => value,
  supportsCaseInsensitive: false,
};
