// Keys of media files: validation, and their relation to the `path` of a record.

/** Bytes of one part: the limit of common file systems for a name. */
const MAX_PART_BYTES = 255;
/** Bytes of a key: with a prefix of up to 124 bytes it stays within the 1024 of a bucket. */
const MAX_KEY_BYTES = 900;

/** Name at the top of a media store where uploads are staged: no file has a key below it. */
export const STAGING_FOLDER = '.uploads';

// A backslash separates folders on Windows, and no name that we make has control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f\\]/;

function isPart(part: string): boolean {
  return part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART_BYTES;
}

/** True for a valid key: relative, without empty, `.` or `..` parts, not staged. */
export function isMediaKey(key: string): boolean {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES || FORBIDDEN.test(key) || !key.isWellFormed()) return false;
  const parts = key.split('/');
  return parts.every(isPart) && parts[0]?.toLowerCase() !== STAGING_FOLDER;
}

/** The prefix of a bucket for `media.basePath`: its parts without empty ones and `.`, ended by `/`; empty for the root. */
export function bucketKeyPrefix(basePath: string): string {
  const parts = basePath.split('/').filter((part) => part !== '' && part !== '.');
  return parts.map((part) => `${part}/`).join('');
}

/** The key of a file whose record has this `path`, with the prefix of a bucket or without. */
export function mediaKeyOfPath(path: string, prefix: string): string {
  return prefix !== '' && path.startsWith(prefix) ? path.slice(prefix.length) : path;
}
