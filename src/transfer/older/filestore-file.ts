// Reads a file that the filestore of an older server wrote: JSON with one list of documents for each collection.
import { isUtf8 } from 'node:buffer';
import { basename } from 'node:path';
import { readWholeFile, WholeFileError, type WholeFileIssue } from '../../lib/files/read-whole-file.ts';
import { isJsonObject, type JsonObject, MAX_JSON_DEPTH } from '../../lib/json/json.ts';
import { scanJsonYielding } from '../../lib/json/json-scan.ts';
import { describeSyntaxError, parseJsonText } from '../../lib/json/json-syntax.ts';
import { importError } from '../import-entry.ts';

/** Bytes of all files of a filestore together: it had them in memory as a whole, and so has the import. */
export const MAX_FILESTORE_BYTES = 256 * 1024 * 1024;
/** The file, its list of collections, a collection, its list of documents. */
const LEVELS_AROUND = 4;

export interface FilestoreCollection {
  readonly name: string;
  readonly documents: readonly JsonObject[];
  /** Number of entries that are no documents. */
  readonly rejected: number;
}

const ISSUES: Readonly<Record<WholeFileIssue, string>> = {
  special: 'is no file',
  'too-large': `the files have more than ${MAX_FILESTORE_BYTES} bytes together`,
  // A server that still runs may write it meanwhile.
  changed: 'changed while it was read: stop the older server',
};

/** Throws DOCUMENT_INVALID for what is no file of at most `maxBytes`, and errors of the operating system. */
async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  try {
    return await readWholeFile(path, { maxBytes, followsLink: false });
  } catch (error) {
    if (!(error instanceof WholeFileError)) throw error;
    throw importError(basename(path), ISSUES[error.issue]);
  }
}

function toCollection(value: unknown, name: string): FilestoreCollection {
  if (!isJsonObject(value) || typeof value['name'] !== 'string' || !Array.isArray(value['data'])) {
    throw importError(name, '`collections` must be a list of {"name": text, "data": […]}');
  }
  const { name: collection, data } = value;
  const documents = data.filter((one: unknown) => isJsonObject(one));
  return { name: collection, documents, rejected: data.length - documents.length };
}

interface FilestoreFile {
  readonly bytes: number;
  /** Undefined: the file is JSON, but not of a filestore. */
  readonly collections: readonly FilestoreCollection[] | undefined;
}

/** Reads a file of at most `maxBytes`. Throws DOCUMENT_INVALID naming file and place, and errors of the operating system. */
export async function readFilestoreFile(path: string, maxBytes: number): Promise<FilestoreFile> {
  const name = basename(path);
  const bytes = await readBytes(path, maxBytes);
  if (!isUtf8(bytes)) throw importError(name, 'is not valid UTF-8');
  const { depth } = await scanJsonYielding(bytes);
  if (depth > MAX_JSON_DEPTH + LEVELS_AROUND) {
    throw importError(name, `is nested deeper than ${MAX_JSON_DEPTH + LEVELS_AROUND} levels`);
  }
  const parsed = parseJsonText(bytes.toString('utf8'));
  if (!('value' in parsed)) throw importError(name, describeSyntaxError(parsed.error));
  const { value } = parsed;
  if (!isJsonObject(value)) return { bytes: bytes.length, collections: undefined };
  // A filestore that holds nothing yet is an empty object.
  const listed = value['collections'] ?? (Object.keys(value).length === 0 ? [] : undefined);
  const collections = Array.isArray(listed)
    ? listed.map((one: unknown) => toCollection(one, name))
    : undefined;
  return { bytes: bytes.length, collections };
}
