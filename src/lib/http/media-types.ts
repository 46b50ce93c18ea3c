// Media types: their comparable part, and which of them a browser never runs.

/** Families in which browsers run nothing, apart from XML and SVG. A comma would begin a second type. */
const PASSIVE_FAMILY = /^(?:audio|font|image|video)\/(?!.*(?:xml|svg))[^,]+$/;
const PASSIVE_TYPES: ReadonlySet<string> = new Set([
  'application/gzip',
  'application/json',
  'application/octet-stream',
  'application/vnd.ms-fontobject',
  'application/zip',
  'text/css',
  'text/csv',
  'text/markdown',
  'text/plain',
  'text/vtt',
]);

/** The type of unknown bytes. */
export const BINARY_TYPE = 'application/octet-stream';

/** Type and subtype in lower case, without parameters. */
export const essence = (mediaType: string) => (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();

/** True for types in which nothing runs when a browser opens them. `extra`: further ones, as the caller knows its files. */
export function isPassiveType(mediaType: string, extra: ReadonlySet<string>): boolean {
  const type = essence(mediaType);
  return PASSIVE_TYPES.has(type) || extra.has(type) || PASSIVE_FAMILY.test(type);
}
