// Reads the headers of a part of a multipart form (RFC 7578): what it is called, and what it is.

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const EXTENDED = /;[ \t]*filename\*[ \t]*=[ \t]*(utf-8|iso-8859-1)'[^';]*'([^;\s]*)/i;
const ESCAPED = /%[0-9a-f]{2}/gi;
const PADDING = /^[ \t]*$/;
const FOLD = /\r\n(?=[ \t])/g;
const LINE_BREAK = /[\r\n]/;
/** One parameter and what follows it up to the next; a quoted value or a plain one. */
const PARAMETER = /;[ \t]*([^\s;="]+)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^;]*))[^;]*/g;
const NON_ASCII = /[\u0080-\u00ff]/;

export interface PartHeaders {
  /** The name of the field. */
  readonly name: string | undefined;
  readonly fileName: string | undefined;
  /** In lower case and without parameters; undefined where none is declared. */
  readonly mimetype: string | undefined;
}

/** Undefined for bytes that are no text of that encoding. */
function decode(text: string, encoding: string): string | undefined {
  const unescaped = text.replace(ESCAPED, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
  const bytes = Buffer.from(unescaped, 'latin1');
  if (encoding === 'iso-8859-1') return bytes.toString('latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The `filename*` of a disposition; undefined if it is absent or malformed. */
function extendedFileName(disposition: string): string | undefined {
  if (!disposition.includes('*')) return undefined;
  const [, encoding = '', text = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? [];
  return encoding === '' || text === '' ? undefined : decode(text, encoding.toLowerCase());
}

/** Bytes as UTF-8, which clients send although nothing declares it. */
const toText = (bytes: string) =>
  NON_ASCII.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;

/** The values of the parameters of a disposition, by name in lower case; of several with one name the last. */
function parametersOf(disposition: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of disposition.matchAll(PARAMETER)) {
    const value = quoted === undefined ? plain.trim() : quoted.replace(/\\(["\\])/g, '$1');
    found.set(name.toLowerCase(), toText(value));
  }
  return found;
}

/** The first value of each header, by name in lower case; undefined where a line is no header. */
function headersOf(text: string): ReadonlyMap<string, string> | undefined {
  const [padding = '', ...lines] = text.replace(FOLD, '').split('\r\n');
  if (!PADDING.test(padding)) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 1 || LINE_BREAK.test(line)) return undefined;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

/**
 * Reads headers, one character a byte, that begin behind the boundary and end before the empty line. Undefined where they cannot
 * be read or are not those of form data.
 */
export function parsePartHeaders(text: string): PartHeaders | undefined {
  const headers = headersOf(text);
  const disposition = headers?.get('content-disposition');
  if (headers === undefined || disposition === undefined) return undefined;
  const semicolon = disposition.indexOf(';');
  const kind = semicolon === -1 ? disposition : disposition.slice(0, semicolon);
  if (kind.trim().toLowerCase() !== 'form-data') return undefined;
  const parameters = parametersOf(disposition);
  const mimetype = toText(headers.get('content-type') ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase();
  return {
    name: parameters.get('name'),
    fileName: extendedFileName(disposition) ?? parameters.get('filename'),
    mimetype: mimetype === '' ? undefined : mimetype,
  };
}
