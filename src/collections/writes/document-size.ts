// The size of a document as BSON, which bounds what a collection can hold on either store.
import type { Json, JsonObject } from '../../lib/json.ts';

/** Bytes that one document may have as BSON. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

// One character of JSON becomes at most 7 bytes: in a list of digits, `1,` is an entry of up to 13.
const CERTAINLY_SMALL = Math.floor(MAX_DOCUMENT_BYTES / 7);
const INT32_LIMIT = 2 ** 31;

/** True when the document is too large to be kept. `text` is its JSON, which settles most cases at once. */
export function isTooLarge(document: Json, text: string): boolean {
  return text.length > CERTAINLY_SMALL && bsonBytes(document) > MAX_DOCUMENT_BYTES;
}

/** Bytes of a value in BSON, without its type byte and name. */
export function bsonBytes(value: Json): number {
  if (value === null) return 0;
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < INT32_LIMIT ? 4 : 8;
  if (typeof value === 'string') return Buffer.byteLength(value) + 5;
  return Array.isArray(value) ? listBytes(value) : objectBytes(value as JsonObject);
}

function objectBytes(object: JsonObject): number {
  let bytes = 5;
  for (const [name, member] of Object.entries(object)) {
    bytes += Buffer.byteLength(name) + 2 + bsonBytes(member);
  }
  return bytes;
}

/** In BSON a list is an object whose names are the positions. */
function listBytes(list: readonly Json[]): number {
  let bytes = 5;
  let digits = 1;
  let nextLength = 10;
  for (let position = 0; position < list.length; position += 1) {
    if (position === nextLength) {
      digits += 1;
      nextLength *= 10;
    }
    bytes += digits + 2 + bsonBytes(list[position] ?? null);
  }
  return bytes;
}
