// The size of a document, as BSON and as JSON text: what a collection can hold, and what can be read again, on either store.
import type { Json, JsonObject } from '../../lib/json/json.ts';

/** Bytes that one document may have as BSON. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

// One character of JSON becomes at most 7 bytes: in a list of digits, `1,` is an entry of up to 13.
const MAX_SMALL_CHARACTERS = Math.floor(MAX_DOCUMENT_BYTES / 7);
const INT32_LIMIT = 2 ** 31;

/**
 * Characters that the JSON text of one document may have: control characters take six each, and a read returns 64 Mi at
 * the most.
 */
export const MAX_DOCUMENT_CHARACTERS = 60 * 1024 * 1024;

/** What is wrong with a document that is too large to be kept, or to be read again. `text` is its JSON. */
export function sizeIssue(document: Json, text: string): string | undefined {
  if (text.length <= MAX_SMALL_CHARACTERS) return undefined;
  if (text.length > MAX_DOCUMENT_CHARACTERS) {
    return `has more than ${MAX_DOCUMENT_CHARACTERS} characters as JSON, where control characters take six each`;
  }
  return bsonBytes(document) > MAX_DOCUMENT_BYTES ? 'is larger than 16 MB' : undefined;
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
