// Names and media types that clients send for files, and the keys under which files are stored. Names are made safe for file systems,
// buckets and URLs.

import type { CollectionAddress } from '../collections/model/collection.ts';
import type { Config } from '../config/schema.ts';
import type { MediaKey } from '../stores/media-store.ts';

/** UTF-8 bytes of a name. With a suffix it stays below the 255 that file systems allow. */
export const MAX_NAME_BYTES = 200;
/** Longest `originalFileName`, in characters. */
const MAX_ORIGINAL = 1000;
/** Longest extension in UTF-8 bytes. A longer one counts as part of the name. */
const MAX_EXTENSION_BYTES = 40;

const UNNAMED = 'file';

/** Control characters, invisible characters (zero-width, direction), line separators, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** Characters that some file systems reject or interpret. */
const UNUSABLE = /[<>:"|?*]/g;
const EDGES = /^[.\s]+|[.\s]+$/gu;
/** Device names on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\s*(\.|$))/iu;
/** Names of routes below a collection. */
const TAKEN = /^(count|stats|config|sign|history|[0-9a-f]{24})$/i;

const bytesOf = (text: string) => Buffer.byteLength(text);

/** Truncates a text to `maxBytes` UTF-8 bytes, between code points. */
function truncateUtf8(text: string, maxBytes: number): string {
  let bytes = 0;
  let end = 0;
  for (const point of text) {
    bytes += bytesOf(point);
    if (bytes > maxBytes) break;
    end += point.length;
  }
  return text.slice(0, end);
}

/** Splits a name before the dot of its extension; the extension is `''` if there is none. */
function splitName(name: string): { readonly stem: string; readonly extension: string } {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? { stem: name, extension: '' } : { stem: name.slice(0, dot), extension: name.slice(dot) };
}

function shorten(name: string): string {
  if (bytesOf(name) <= MAX_NAME_BYTES) return name;
  const { stem, extension } = splitName(name);
  const kept = bytesOf(extension) <= MAX_EXTENSION_BYTES ? extension : '';
  const rest = kept === '' ? name : stem;
  return truncateUtf8(rest, MAX_NAME_BYTES - bytesOf(kept)).replace(EDGES, '') + kept;
}

/**
 * Returns a valid name for any text that a client sends. Of a path the last part is used. An underscore is added to names of
 * routes below the collection and of devices.
 */
export function sanitizeFileName(sent: string): string {
  const seen = sent.replace(UNSEEN, '').normalize('NFC');
  const last = seen.split(/[/\\]/).findLast((part) => part.replace(EDGES, '') !== '') ?? '';
  const name = shorten(last.replace(UNUSABLE, '_').replace(EDGES, ''));
  if (name === '') return UNNAMED;
  return TAKEN.test(name) ? `${name}_` : name.replace(DEVICE, '$1_');
}

/** Returns the name as sent, truncated: `originalFileName` of the record. */
export function originalFileName(sent: string): string {
  return sent.slice(0, MAX_ORIGINAL).toWellFormed();
}

/** Inserts a suffix before the extension. */
export function withSuffix(name: string, suffix: number): string {
  const { stem, extension } = splitName(name);
  return `${stem}-${suffix}${extension}`;
}

const MAX_TYPE = 255;
const TOKEN = "[A-Za-z0-9!#$%&'*+.^_`|~-]+";
const TYPE = new RegExp(`^${TOKEN}/${TOKEN}$`);

/** What counts for a file whose type is unknown. */
const UNKNOWN_TYPE = 'application/octet-stream';

/** Type and subtype, without parameters. */
const plain = (declared: string) => (declared.slice(0, 2 * MAX_TYPE).split(';', 1)[0] ?? '').trim();

/** Is this a media type, with or without parameters? */
export function isMediaType(declared: string): boolean {
  const type = plain(declared);
  return type.length <= MAX_TYPE && TYPE.test(type);
}

/** Type and subtype in lower case, without parameters; `application/octet-stream` for what is no media type. */
export function mediaTypeOf(declared: string): string {
  return isMediaType(declared) ? plain(declared).toLowerCase() : UNKNOWN_TYPE;
}

export type PathFormat = Config['media']['pathFormat'];

interface FileToPlace {
  readonly collection: CollectionAddress;
  /** The sanitized name. */
  readonly name: string;
  /** Start of the upload, in epoch milliseconds. */
  readonly at: number;
}

interface KeyOptions {
  readonly format: PathFormat;
  readonly sha1Of: (text: string) => Promise<string>;
}

/** Year, month, day, hour, minute, second in UTC, with leading zeros. */
const partsOf = (at: number) => new Date(at).toISOString().slice(0, 19).split(/[-T:]/);

/** Splits a text into pieces of `length` characters; the last may be shorter. */
function chunks(text: string, length: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

type FoldersOf = (
  file: FileToPlace,
  sha1Of: KeyOptions['sha1Of'],
) => readonly string[] | Promise<readonly string[]>;

/** The hash of the name, with so many digits a folder. */
const hashFolders =
  (digits: number): FoldersOf =>
  async ({ name }, sha1Of) =>
    chunks(await sha1Of(name), digits);

/** A row per value of the setting: the type names a format without one, or one without a format. */
const FOLDERS: Readonly<Record<PathFormat, FoldersOf>> = {
  none: () => [],
  date: ({ at }) => partsOf(at).slice(0, 3),
  datetime: ({ at }) => partsOf(at),
  'sha1/4': hashFolders(4),
  'sha1/5': hashFolders(5),
  'sha1/8': hashFolders(8),
};

/**
 * Creates the candidates for the key of a file, in folders by `media.pathFormat`: the name itself, then the name with the time in milliseconds, incremented at each
 * further attempt.
 */
export async function createKeyCandidates(
  file: FileToPlace,
  options: KeyOptions,
): Promise<(attempt: number) => MediaKey> {
  const { collection, name, at } = file;
  const folders = [collection.version, collection.database, collection.name];
  const folder = [...folders, ...(await FOLDERS[options.format](file, options.sha1Of))].join('/');
  return (attempt) => `${folder}/${attempt === 0 ? name : withSuffix(name, at + attempt - 1)}`;
}
