// String fields: a text, or a list of texts.

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
