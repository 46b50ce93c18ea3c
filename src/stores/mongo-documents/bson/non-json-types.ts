// Writes values of BSON types that JSON lacks as the nearest JSON value.
import { Decimal128 } from 'mongodb';
import { type JsonOutput, writeAscii, writeString } from './json-output.ts';

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
    case 0x07:
      return source.toString('hex', at, at + 12);
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
