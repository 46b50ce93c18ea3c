// The text of a stored document is ours, but it comes from a disk: one wrong byte makes it unreadable.
import { StoreError } from '../../errors.ts';
import type { JsonObject } from './json.ts';

/** The document of a text that a store has given. Throws `damaged` where it cannot be read. */
export function parseStoredJson<T = JsonObject>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    // The parser's own words would quote the document.
    throw new StoreError('damaged', { cause: new Error('the text of a stored document cannot be read') });
  }
}
