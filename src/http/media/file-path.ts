// Decodes the path of a file below its collection.
import { AppError } from '../../errors/errors.ts';

/** Segments before the path of the file: version, database, collection. */
const COLLECTION_PARTS = 3;
const MAX_PARTS = 32;
const SCHEME_AND_HOST = /^https?:\/\/[^/]*/i;
// Separators of all systems, and control characters.
const FORBIDDEN = /[/\\\p{Cc}]/u;

function decode(part: string): string {
  let name: string;
  try {
    name = decodeURIComponent(part);
  } catch {
    throw new AppError('NOT_FOUND');
  }
  // No stored file has such a name, however it is encoded.
  if (name === '' || name === '.' || name === '..' || FORBIDDEN.test(name)) throw new AppError('NOT_FOUND');
  return name;
}

/**
 * The decoded path below `/{version}/{database}/{collection}/`, in the normal form in which names are stored. Throws
 * NOT_FOUND for what no file can have.
 */
export function parseFilePath(path: string): string {
  const parts = path
    .replace(SCHEME_AND_HOST, '')
    .replace(/\/$/, '')
    .split('/')
    .slice(1 + COLLECTION_PARTS);
  if (parts.length === 0 || parts.length > MAX_PARTS) throw new AppError('NOT_FOUND');
  return parts.map(decode).join('/').normalize('NFC');
}
