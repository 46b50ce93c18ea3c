// The media type that a client declares for a file.

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
