// Writes JSON text into a growing buffer; values of BSON types that JSON lacks as the nearest JSON value.

import { Decimal128 } from 'mongodb';

export interface JsonOutput {
  bytes: Buffer;
  at: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Up to this length a loop beats the call that longer text is copied by. */
const MAX_LOOP_BYTES = 48;

/** Room for about `size` bytes to begin with. */
export function createJsonOutput(size: number): JsonOutput {
  return { bytes: Buffer.allocUnsafe(size), at: 0 };
}

/** Everything written so far. */
export function jsonText(out: JsonOutput): string {
  return out.bytes.toString('utf8', 0, out.at);
}

/** Grows the buffer for `more` bytes. */
function reserve(out: JsonOutput, more: number): void {
  if (out.at + more <= out.bytes.length) return;
  const larger = Buffer.allocUnsafe(Math.max(out.bytes.length * 2, out.at + more));
  out.bytes.copy(larger, 0, 0, out.at);
  out.bytes = larger;
}

/** Writes one ASCII character. */
export function writeByte(out: JsonOutput, byte: number): void {
  if (out.at === out.bytes.length) reserve(out, 1);
  out.bytes[out.at] = byte;
  out.at += 1;
}

/** Writes text of ASCII alone, such as numbers and names of constants. */
export function writeAscii(out: JsonOutput, text: string): void {
  reserve(out, text.length);
  for (let index = 0; index < text.length; index += 1) out.bytes[out.at + index] = text.charCodeAt(index);
  out.at += text.length;
}

/** Writes any text as a JSON string. */
export function writeString(out: JsonOutput, text: string): void {
  const json = JSON.stringify(text);
  reserve(out, json.length * 3);
  out.at += out.bytes.write(json, out.at, 'utf8');
}

/** Writes UTF-8 from `source` as a JSON string. */
export function writeUtf8(out: JsonOutput, source: Buffer, range: { from: number; to: number }): void {
  const { from, to } = range;
  if (to - from > MAX_LOOP_BYTES) {
    writeString(out, source.toString('utf8', from, to));
    return;
  }
  reserve(out, to - from + 2);
  const { bytes } = out;
  let at = out.at;
  bytes[at] = QUOTE;
  for (let index = from; index < to; index += 1) {
    const byte = source[index] as number;
    if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) {
      writeString(out, source.toString('utf8', from, to));
      return;
    }
    at += 1;
    bytes[at] = byte;
  }
  bytes[at + 1] = QUOTE;
  out.at = at + 2;
}

/** Writes the text of an ObjectId. */
export function writeObjectId(out: JsonOutput, source: Buffer, from: number): void {
  reserve(out, 26);
  writeByte(out, QUOTE);
  const { bytes } = out;
  let at = out.at;
  for (let index = from; index < from + 12; index += 1) {
    const byte = source[index] as number;
    bytes[at] = HEX_DIGITS[byte >> 4] as number;
    bytes[at + 1] = HEX_DIGITS[byte & 15] as number;
    at += 2;
  }
  out.at = at;
  writeByte(out, QUOTE);
}

const UUID = 4;

/** Writes the value of `type` that begins at `at`: identifiers and dates as text, numbers as numbers, the unknown as null. */
export function writeNonJsonValue(
  out: JsonOutput,
  source: Buffer,
  { type, at }: { type: number; at: number },
): void {
  const value = nonJsonValue(source, type, at);
  if (typeof value === 'string') writeString(out, value);
  else writeAscii(out, String(value));
}

function nonJsonValue(source: Buffer, type: number, at: number): string | number | null {
  switch (type) {
    case 0x05:
      return binaryText(source, at);
    case 0x09:
      return dateText(Number(source.readBigInt64LE(at)));
    case 0x0b: {
      const middle = source.indexOf(0, at);
      return `/${source.toString('utf8', at, middle)}/${source.toString('utf8', middle + 1, source.indexOf(0, middle + 1))}`;
    }
    case 0x0c: {
      const end = at + 4 + source.readInt32LE(at);
      return source.toString('hex', end, end + 12);
    }
    case 0x0d:
    case 0x0e:
      return textAt(source, at);
    case 0x0f:
      return textAt(source, at + 4);
    case 0x11:
      return String(source.readBigUInt64LE(at));
    case 0x12:
      return Number(source.readBigInt64LE(at));
    case 0x13:
      return decimalValue(new Decimal128(source.subarray(at, at + 16)).toString());
    default:
      return null;
  }
}

function textAt(source: Buffer, at: number): string {
  return source.toString('utf8', at + 4, at + 3 + source.readInt32LE(at));
}

function dateText(time: number): string | null {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

function binaryText(source: Buffer, at: number): string {
  const bytes = source.subarray(at + 5, at + 5 + source.readInt32LE(at));
  if (source[at + 4] !== UUID || bytes.length !== 16) return bytes.toString('base64');
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The nearest number, so that it is compared and sorted as the server does. */
function decimalValue(text: string): number | null {
  const number = Number(text);
  return Number.isFinite(number) ? number : null;
}
