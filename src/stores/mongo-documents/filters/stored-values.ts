// Stored forms of filter values: ids are ObjectIds, and other programs may have stored dates and other types.
import { ObjectId } from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import { isObjectIdText, toBsonValue } from '../bson/json-to-bson.ts';
import { decimalForms, nonJsonForms, READ_AS_NULL } from './non-json-values.ts';

/**
 * Every stored value that reads as `value`: besides itself, what another program stored where we keep text, a number or
 * null. Our own ids are ObjectIds always, so that `_id` has one value only.
 */
export function storedForms(value: Json, isId: boolean): readonly unknown[] {
  const own = toBsonValue(value);
  if (value === null) return [own, ...READ_AS_NULL];
  if (typeof value === 'number') return [own, ...decimalForms(value)];
  if (typeof value !== 'string') return [own];
  if (isObjectIdText(value)) {
    const id = ObjectId.createFromHexString(value);
    return isId ? [id] : [own, id];
  }
  return [own, ...nonJsonForms(value)];
}

/** False for values that no document can hold: with a NUL in a field name. */
export function isStorable(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return (value as readonly Json[]).every(isStorable);
  return Object.entries(value as JsonObject).every(
    ([name, member]) => !name.includes('\0') && isStorable(member),
  );
}

/** True for an object that the server would take for an operator in a list of values. */
export function looksLikeOperator(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.keys(value).some((name) => name.startsWith('$'));
}

/** The smallest ObjectId whose text is not less than `text`; undefined if there is none. */
export function smallestIdFrom(text: string): ObjectId | undefined {
  const digits = '0123456789abcdef';
  let prefix = '';
  while (prefix.length < 24) {
    const character = text[prefix.length];
    if (character === undefined) return idOf(prefix);
    const digit = [...digits].find((candidate) => candidate >= character);
    if (digit === undefined) return after(prefix);
    prefix += digit;
    if (digit !== character) return idOf(prefix);
  }
  return text.length === 24 ? idOf(prefix) : after(prefix);
}

function idOf(prefix: string): ObjectId {
  return ObjectId.createFromHexString(prefix.padEnd(24, '0'));
}

/** The least one that begins with none of the prefixes up to this one. */
function after(prefix: string): ObjectId | undefined {
  const kept = prefix.replace(/f+$/, '');
  if (kept === '') return undefined;
  const last = Number.parseInt(kept.slice(-1), 16) + 1;
  return idOf(kept.slice(0, -1) + last.toString(16));
}
