// Boolean fields: true or false and nothing that merely looks like it. Filters may write them as text.
import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

export const booleanField: FieldTypeRules = {
  check: (value) => (typeof value === 'boolean' ? undefined : WRONG_TYPE),
  normalise: (value) => value,
  coerceOperand(value) {
    if (value === 'true') return true;
    return value === 'false' ? false : value;
  },
  supportsCaseInsensitive: false,
  formText: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};
