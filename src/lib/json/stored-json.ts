// Reads stored documents: their JSON, which a defective disk can damage, and their version `v`.

import { StoreError } from '../../errors/errors.ts';
import type { JsonObject } from './json.ts';

/** Parses the text of a stored document. Throws a `damaged` StoreError if it is not JSON. */
export function parseStoredJson<T = JsonObject>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // The message of the parser would quote the document.
    throw new StoreError('damaged', { cause: new Error('the text of a stored document cannot be read') });
  }
}

/** The number of writes of a stored document; 0 if another program wrote it without `v`. */
export function documentVersion(document: JsonObject): number {
  const v = document['v'];
  return typeof v === 'number' ? v : 0;
}
