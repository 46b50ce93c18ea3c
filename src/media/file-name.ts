// The name under which an uploaded file is stored: safe in a file system, in a bucket and in a URL, and as close to what
// was sent as that allows.

/** UTF-8 bytes of a name. With the suffix of a clash it stays below the 255 that file systems allow. */
export const MAX_NAME_BYTES = 200;
/** Characters that are kept of the name that was sent. */
const MAX_ORIGINAL = 1000;
/** UTF-8 bytes of an extension that survives the cut; what is longer is no extension. */
const MAX_EXTENSION_BYTES = 40;

const UNNAMED = 'file';

/** Control characters, what is not shown (zero-width, direction), line separators, halves of surrogate pairs. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** What some file system does not take, or takes for something else. */
const UNUSABLE = /[<>:"|?*]/g;
const EDGES = /^[.\s]+|[.\s]+$/gu;
/** Devices on Windows, whatever their extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?=\s*(\.|$))/iu;
/** Addresses below a collection. */
const TAKEN = /^(count|stats|config|sign|history|[0-9a-f]{24})$/i;

const bytesOf = (text: string) => Buffer.byteLength(text);

/** As many of the first code points as fit into so many UTF-8 bytes. */
function truncateUtf8(text: string, most: number): string {
  let bytes = 0;
  let end = 0;
  for (const point of text) {
    bytes += bytesOf(point);
    if (bytes > most) break;
    end += point.length;
  }
  return text.slice(0, end);
}

/** A name in two: what stands before the extension, and the extension with its dot, `''` where there is none. */
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
 * A name that can be stored, for any text that a client calls a file name. The last part of a path counts; a name that
 * would be taken for an address below the collection, or for a device, gets an underscore.
 */
export function sanitizeFileName(sent: string): string {
  const seen = sent.replace(UNSEEN, '').normalize('NFC');
  const last = seen.split(/[/\\]/).findLast((part) => part.replace(EDGES, '') !== '') ?? '';
  const name = shorten(last.replace(UNUSABLE, '_').replace(EDGES, ''));
  if (name === '') return UNNAMED;
  return TAKEN.test(name) ? `${name}_` : name.replace(DEVICE, '$1_');
}

/** The name as it was sent, bounded: what a record keeps as `originalFileName`. */
export function originalFileName(sent: string): string {
  return sent.slice(0, MAX_ORIGINAL).toWellFormed();
}

/** The name with a suffix that tells it from others of the same name, before the extension. */
export function withSuffix(name: string, suffix: number): string {
  const { stem, extension } = splitName(name);
  return `${stem}-${suffix}${extension}`;
}
