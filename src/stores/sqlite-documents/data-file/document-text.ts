// Validates documents read from the data file: a damaged page returns arbitrary bytes.
import type { StoredDocument } from '../../ports.ts';
import { StorageError } from './storage-errors.ts';

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** Returns the text of a document. Throws `damaged` for other values. Only the first and last character are checked: cheap. */
export function documentText(value: unknown): string {
  if (
    typeof value === 'string' &&
    value.charCodeAt(0) === OPEN &&
    value.charCodeAt(value.length - 1) === CLOSE
  )
    return value;
  throw new StorageError('damaged', 'a row of a collection contains no document');
}

/** Parses the text of a document. Throws `damaged` for any other text. */
export function parseDocument(text: string): StoredDocument {
  try {
    const document = JSON.parse(text) as StoredDocument;
    if (typeof document._id === 'string') return document;
  } catch {
    // Replaced below: the message of the parser would quote the document.
  }
  throw new StorageError('damaged', 'the text of a document is not valid');
}
