// Boolean fields: true or false and nothing that merely looks like it. Filters may write them as text.
import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

export const booleanField: FieldTypeRules = {
  check: (value) => (typeof value === 'boolean' ? undefined : WRONG_TYPE),
  valueForm: 'true or false, without quotes',
  normalise: (value) => value,
  schema: () => ({ type: 'boolean' }),
  readOperand(value) {
    if (typeof value === 'boolean') return value;
    return value === 'true' || value === 'false' ? value === 'true' : undefined;
  },
  operandForm: 'true or false',
  supportsCaseInsensitive: false,
  formText: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
};
