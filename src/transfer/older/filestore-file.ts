// Reads a file that the filestore of an older server wrote: JSON with one list of documents for each collection.
import { isUtf8 } from 'node:buffer';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
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

/** The text of a file. Throws DOCUMENT_INVALID for one above `maxBytes`, and errors of the operating system. */
async function readBytes(path: string, maxBytes: number): Promise<Buffer> {
  // O_NONBLOCK: opening a pipe would wait for its writer.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags);
  try {
    const found = await handle.stat();
    const { size } = found;
    if (!found.isFile()) throw importError(basename(path), 'is no file');
    const tooLarge = () =>
      importError(basename(path), `the files have more than ${MAX_FILESTORE_BYTES} bytes together`);
    if (size > maxBytes) throw tooLarge();
    const bytes = Buffer.alloc(size + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      ({ bytesRead: read } = await handle.read(bytes, length, bytes.length - length));
    }
    // A server that still runs may write it meanwhile.
    if (length > size) throw importError(basename(path), 'grows while it is read: stop the older server');
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
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
