// Writes JSON text into a growing buffer; values of BSON types that JSON lacks as the nearest JSON value. It runs for each member of each
// document that is read: nothing here creates an object.

import { Decimal128 } from 'mongodb';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** Up to this length a loop beats the calls that longer text is copied by. */
const MAX_LOOP_BYTES = 256;
/** A buffer that has grown beyond this is not kept for the next text: a page must not hold the memory of its largest document. */
const MAX_KEPT_BYTES = 262_144;

/** JSON text, written piece by piece. Its buffer grows, and is used again after `take`, unless it became large. */
export class JsonOutput {
  readonly #size: number;
  #bytes: Buffer;
  #length = 0;

  /** Begins with room for about `size` bytes. */
  constructor(size: number) {
    this.#size = size;
    this.#bytes = Buffer.allocUnsafe(size);
  }

  /** Number of bytes written since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** Returns what was written since the last call. */
  take(): string {
    const text = this.#bytes.toString('utf8', 0, this.#length);
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(this.#size);
    return text;
  }

  /** Grows the buffer for `more` bytes. */
  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Writes one ASCII character. */
  byte(byte: number): void {
    if (this.#length === this.#bytes.length) this.#reserve(1);
    this.#bytes[this.#length] = byte;
    this.#length += 1;
  }

  /** Writes text of ASCII alone, such as numbers and names of constants. */
  ascii(text: string): void {
    this.#reserve(text.length);
    const at = this.#length;
    for (let index = 0; index < text.length; index += 1) this.#bytes[at + index] = text.charCodeAt(index);
    this.#length = at + text.length;
  }

  /** Writes any text as a JSON string. */
  string(text: string): void {
    const json = JSON.stringify(text);
    this.#reserve(json.length * 3);
    this.#length += this.#bytes.write(json, this.#length, 'utf8');
  }

  /** Writes the UTF-8 of `source` between `from` and `to` as a JSON string. */
  utf8(source: Buffer, from: number, to: number): void {
    if (to - from > MAX_LOOP_BYTES || !this.#copyPlain(source, from, to)) {
      this.string(source.toString('utf8', from, to));
    }
  }

  /** Writes UTF-8 that needs no escapes. False: it needs some, and nothing was written. */
  #copyPlain(source: Buffer, from: number, to: number): boolean {
    this.#reserve(to - from + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at] = QUOTE;
    for (let index = from; index < to; index += 1) {
      const byte = source[index] as number;
      if (byte < 0x20 || byte === QUOTE || byte === BACKSLASH) return false;
      at += 1;
      bytes[at] = byte;
    }
    bytes[at + 1] = QUOTE;
    this.#length = at + 2;
    return true;
  }

  /** Writes the text of an ObjectId. */
  objectId(source: Buffer, from: number): void {
    this.#reserve(26);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at] = QUOTE;
    for (let index = from; index < from + 12; index += 1) {
      const byte = source[index] as number;
      bytes[at + 1] = HEX_DIGITS[byte >> 4] as number;
      bytes[at + 2] = HEX_DIGITS[byte & 15] as number;
      at += 2;
    }
    bytes[at + 1] = QUOTE;
    this.#length = at + 2;
  }
}

const UUID = 4;

/** Writes the value of `type` that begins at `at`: identifiers and dates as text, numbers as numbers, the unknown as null. */
export function writeNonJsonValue(out: JsonOutput, source: Buffer, type: number, at: number): void {
  const value = nonJsonValue(source, type, at);
  if (typeof value === 'string') out.string(value);
  else out.ascii(String(value));
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
