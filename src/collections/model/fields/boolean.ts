// Boolean fields: true or false and nothing that merely looks like it. Filters may write them as text.
import type { FieldTypeRules } from './field-type.ts';
import { WRONG_TYPE } from './problems.ts';

export const booleanField: FieldTypeRules = {
  check: (value) => (typeof value === 'boolean' ? undefined : WRONG_TYPE),
  normalise: (value) => value,
  coerceOperand(value) {
    if (value === 'true') return true;
    return value === 'false' ? false : value;
  },
  supportsCaseInsensitive: false,
};
