// Stored forms of filter values: ids are ObjectIds, and other programs may have stored dates and other types that are read as
// a given text, number or null (the inverse of `bson/json-output.ts`).

import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json/json.ts';
import type { ComparisonKind } from '../../filter.ts';
import { isObjectIdText, toBsonValue } from '../bson/bson-conversion.ts';

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The date whose text this is, exactly. */
export function dateOf(text: string): Date | undefined {
  if (!DATE.test(text)) return undefined;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text ? date : undefined;
}

/** What JSON has no number and no text for. */
export const READ_AS_NULL: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  new MinKey(),
  new MaxKey(),
];

/** The decimal numbers beyond this on either side are nearer to infinity than to any double. */
const HUGE = '1.797693134862315807937289714053034E+308';
const ABOVE = Decimal128.fromString(HUGE);
const BELOW = Decimal128.fromString(`-${HUGE}`);

/** The ranges of the numbers that are read as null, infinities among them. */
export const HUGE_NUMBERS = [{ $gt: ABOVE }, { $lt: BELOW }] as const;

/** The range of all other numbers, but for NaN. */
export const FINITE_NUMBERS = { $gte: BELOW, $lte: ABOVE } as const;

const UUID_TEXT = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP_TEXT = /^(?:0|[1-9]\d{0,19})$/;
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
/** Short words and numbers are not taken for Base64. */
const WORD = /^(?:[A-Za-z]?[a-z]{0,14}|[A-Z]{1,15}|\d{1,15})$/;
/** The text of more bytes is sent once only: a command has a bound. */
const MAX_BASE64_CHARACTERS = 4096;
/** Binary subtypes. Bytes of different subtypes are not equal. */
const BINARY_KINDS = [0, 1, 2, 3, 5, 6, 7, 8, 128];
/** What code has, and few other texts. */
const CODE_TEXT = /[(){};=]|\breturn\b/;

/** Values of other types that read exactly as `text`, save for patterns, which are no values of a list. */
export function nonJsonForms(text: string): readonly unknown[] {
  if (isObjectIdText(text)) return [ObjectId.createFromHexString(text)];
  const date = dateOf(text);
  if (date !== undefined) return [date];
  if (UUID_TEXT.test(text)) return [new UUID(text).toBinary()];
  return [...timestampForms(text), ...binaryForms(text), ...(CODE_TEXT.test(text) ? [new Code(text)] : [])];
}

function timestampForms(text: string): readonly unknown[] {
  if (!TIMESTAMP_TEXT.test(text) || BigInt(text) >= 2n ** 64n) return [];
  return [new Timestamp(Long.fromString(text, true))];
}

function binaryForms(text: string): readonly unknown[] {
  if (text === '' || text.length > MAX_BASE64_CHARACTERS || WORD.test(text) || !BASE64_TEXT.test(text))
    return [];
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) return [];
  return BINARY_KINDS.map((kind) => new Binary(bytes, kind));
}

/** With the flags that a server knows: text such as /1.0/greeting is none. */
const PATTERN_TEXT = /^\/(.*)\/([ilmsux]*)$/s;

/** The stored pattern that is read as `text`. It must be queried by `$eq`: in a list it would be matched. */
export function patternForm(text: string): BSONRegExp | undefined {
  const [, pattern, flags] = PATTERN_TEXT.exec(text) ?? [];
  if (pattern === undefined || flags === undefined || pattern.includes('\0')) return undefined;
  const form = new BSONRegExp(pattern, flags);
  // The driver puts the flags in order.
  return form.options === flags ? form : undefined;
}

/** Beyond these limits a number of another program may be read as its neighbour. */
const isRounded = (value: number) => Math.abs(value) > Number.MAX_SAFE_INTEGER || digitsOf(value) >= 15;

/** Whether other stored numbers are read as this one. */
export function isRoundedNumber(value: number): boolean {
  return !Number.isSafeInteger(value) && isRounded(value);
}

const digitsOf = (value: number) => String(Math.abs(value)).replace(/e.*$/, '').replace('.', '').length;

/** The decimal number that reads as `value`, where a double is only near it. */
export function decimalForms(value: number): readonly Decimal128[] {
  return Number.isInteger(value) ? [] : [Decimal128.fromString(String(value))];
}

/** The numbers next to `value` on either side, or further ones. */
export function neighbouringNumbers(value: number): { readonly below: number; readonly above: number } {
  const step = Math.max(Math.abs(value) * 2 ** -51, Number.MIN_VALUE);
  return { below: value - step, above: value + step };
}

/**
 * The operand for a comparison with `value`: of the double and of the decimal number that both read as it, the one that
 * puts both of them on the right side.
 */
export function comparisonOperand(kind: ComparisonKind, value: number): number | Decimal128 {
  const [decimal] = decimalForms(value);
  if (decimal === undefined) return value === 0 ? 0 : value;
  const wantsLarger = kind === 'gt' || kind === 'lte';
  return isDecimalLarger(value) === wantsLarger ? decimal : value;
}

/** Whether the shortest decimal number that reads as a double is larger than the double itself. */
function isDecimalLarger(value: number): boolean {
  const shortest = scaled(String(value));
  const exact = scaled(value.toPrecision(100));
  const exponent = Math.min(shortest.exponent, exact.exponent);
  return onScale(shortest, exponent) > onScale(exact, exponent);
}

interface Scaled {
  readonly digits: bigint;
  readonly exponent: number;
}

function scaled(text: string): Scaled {
  const [mantissa = '', power = '0'] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return { digits: BigInt(whole + fraction), exponent: Number(power) - fraction.length };
}

const onScale = ({ digits, exponent }: Scaled, to: number) => digits * 10n ** BigInt(exponent - to);

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
