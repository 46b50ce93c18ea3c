// Field types whose values are plain JSON: texts, numbers, booleans, objects, and any of these.
import { isInexactInteger } from '../../../lib/json/inexact-integers.ts';
import type { Json } from '../../../lib/json/json.ts';
import { type FieldTypeRules, WRONG_TYPE } from './field-type.ts';

/** A scalar as text. */
function toText(value: Json): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function toTexts(list: readonly Json[]): readonly string[] | undefined {
  const texts = list.map(toText);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}

const isText = (value: unknown) => typeof value === 'string';

/** A text, or a list of texts. */
export const stringField: FieldTypeRules = {
  check: (value) => (isText(value) || (Array.isArray(value) && value.every(isText)) ? undefined : WRONG_TYPE),
  valueForm: 'text, or a list of texts',
  normalise: (value) => value,
  schema({ texts, required }) {
    const text = { type: 'string', ...texts };
    // An empty text in a list is a value all the same.
    const single = required ? { ...text, minLength: Math.max(texts.minLength ?? 0, 1) } : text;
    return { anyOf: [single, { type: 'array', items: text }] };
  },
  readOperand: (value) => (Array.isArray(value) ? toTexts(value) : toText(value)),
  operandForm: 'text, or a list of texts',
  supportsCaseInsensitive: true,
};

const NUMERIC = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const MAX_NUMERIC_TEXT = 400;

/** The finite number that text of this form names, unless a number cannot hold it. */
function parseNumber(text: string, form: RegExp): number | undefined {
  if (text.length > MAX_NUMERIC_TEXT || !form.test(text) || isInexactInteger(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** One finite number, never a list. */
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

/** True or false and nothing that merely looks like it. Filters may write them as text. */
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

/** An object or a list of anything, no scalar. */
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

/** Any JSON value. */
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
