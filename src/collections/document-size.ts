// The size of a document as BSON, which bounds what a collection can hold on either store.
import type { Json } from '../lib/json.ts';

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
  // Lists are objects whose names are the positions.
  let bytes = 5;
  for (const [name, member] of Object.entries(value)) {
    bytes += Buffer.byteLength(name) + 2 + bsonBytes(member as Json);
  }
  return bytes;
}
