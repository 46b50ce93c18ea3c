// Reads what the data file holds without believing it: a damaged page gives whatever bytes lie there.
import type { StoredDocument } from '../../ports.ts';
import { StorageError } from './storage-errors.ts';

const OPEN = '{'.charCodeAt(0);
const CLOSE = '}'.charCodeAt(0);

/** The text of a document as its row has it. Throws `damaged` for what cannot be one. A look at both ends is cheap. */
export function documentText(value: unknown): string {
  if (
    typeof value === 'string' &&
    value.charCodeAt(0) === OPEN &&
    value.charCodeAt(value.length - 1) === CLOSE
  )
    return value;
  throw new StorageError('damaged', 'a row that should hold a document holds none');
}

/** The document of a text. Throws `damaged` when it is none of ours. */
export function parseDocument(text: string): StoredDocument {
  try {
    const document = JSON.parse(text) as StoredDocument;
    if (typeof document._id === 'string') return document;
  } catch {
    // Said below: the parser's own words would quote the document.
  }
  throw new StorageError('damaged', 'the text of a document cannot be read');
}
