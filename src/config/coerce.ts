// The text of a variable or flag as a value of the type that the setting declares. Nothing is guessed from its looks.
import type { Json } from '../lib/json/json.ts';
import type { SettingSchema, ValueSchema } from './setting-schema.ts';

const DECIMAL = /^[+-]?\d+(\.\d+)?$/;

type CoercedText = { readonly value: Json } | { readonly problem: string };

function coerceTo(schema: ValueSchema, text: string): CoercedText {
  switch (schema.type) {
    case 'boolean':
      if (text === 'true' || text === 'false') return { value: text === 'true' };
      return { problem: 'must be true or false' };
    case 'integer':
    case 'number':
      if (DECIMAL.test(text)) return { value: Number(text) };
      return { problem: schema.type === 'integer' ? 'must be a whole number' : 'must be a number' };
    case 'array':
      return { value: text === '' ? [] : text.split(',').map((item) => item.trim()) };
    case 'string':
      return { value: text };
  }
}

/** The value that `text` stands for, or what it should have been. Bounds are the validator's business. */
export function coerceText(leaf: SettingSchema, text: string): CoercedText {
  if (!('oneOf' in leaf)) return coerceTo(leaf, text);
  if (text === '') return { problem: leaf.expects };
  for (const alternative of leaf.oneOf) {
    const coerced = coerceTo(alternative, text);
    if ('value' in coerced) return coerced;
  }
  return { problem: leaf.expects };
}
