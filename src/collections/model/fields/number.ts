// Number fields: one finite number, never a list.
import { isInexactInteger } from '../../../lib/json/inexact-integers.ts';
import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

const NUMERIC = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const MAX_NUMERIC_TEXT = 400;

/** The finite number that text of this form names, unless a number cannot hold it. */
function parseNumber(text: string, form: RegExp): number | undefined {
  if (text.length > MAX_NUMERIC_TEXT || !form.test(text) || isInexactInteger(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

export const numberField: FieldTypeRules = {
  check: (value) => (typeof value === 'number' && Number.isFinite(value) ? undefined : WRONG_TYPE),
  valueForm: 'a number, without quotes',
  normalise: (value) => value,
  // Rules of texts hold for the digits of a number, of which a schema cannot speak.
  schema: () => ({ type: 'number' }),
  readOperand(value) {
    if (typeof value === 'number') return value;
    return typeof value === 'string' ? parseNumber(value, NUMERIC) : undefined;
  },
  operandForm: 'a number, such as 10 or "10"',
  supportsCaseInsensitive: false,
  formText: (text) => parseNumber(text, JSON_NUMBER),
};
