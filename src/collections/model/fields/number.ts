// Number fields: one finite number, never a list.
import type { FieldTypeRules } from './field-type.ts';
import { WRONG_TYPE } from './problems.ts';

const NUMERIC = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const MAX_NUMERIC_TEXT = 400;

export const numberField: FieldTypeRules = {
  check: (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : WRONG_TYPE),
  normalise: (value) => value,
  coerceOperand(value) {
    if (typeof value !== 'string' || value.length > MAX_NUMERIC_TEXT || !NUMERIC.test(value)) return value;
    const number = Number(value);
    return Number.isFinite(number) ? number : value;
  },
  supportsCaseInsensitive: false,
};
