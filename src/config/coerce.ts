// Converts the text of a variable or flag to the declared type of its setting.
import type { Json } from '../lib/json/json.ts';
import type { SettingSchema, ValueSchema } from './schema/setting-schema.ts';

const DECIMAL = /^[+-]?\d+(\.\d+)?$/;

type CoercedText = { readonly value: Json } | { readonly issue: string };

function coerceTo(schema: ValueSchema, text: string): CoercedText {
  switch (schema.type) {
    case 'boolean':
      if (text === 'true' || text === 'false') return { value: text === 'true' };
      return { issue: 'must be true or false' };
    case 'integer':
    case 'number':
      if (DECIMAL.test(text)) return { value: Number(text) };
      return { issue: schema.type === 'integer' ? 'must be a whole number' : 'must be a number' };
    case 'array':
      return { value: text === '' ? [] : text.split(',').map((item) => item.trim()) };
    case 'string':
      return { value: text };
  }
}

/** The value of `text`, or the message for text of another type. The validator checks limits. */
export function coerceText(leaf: SettingSchema, text: string): CoercedText {
  if (!('oneOf' in leaf)) return coerceTo(leaf, text);
  if (text === '') return { issue: leaf.expects };
  for (const alternative of leaf.oneOf) {
    const coerced = coerceTo(alternative, text);
    if ('value' in coerced) return coerced;
  }
  return { issue: leaf.expects };
}
