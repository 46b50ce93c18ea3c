// Parses `filename*=UTF-8''na%C3%AFve.txt` (RFC 8187) of a part. It wins over `filename=` (RFC 6266, 4.3), the only form that
// the multipart parser knows.

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const EXTENDED = /;[ \t]*filename\*[ \t]*=[ \t]*(utf-8|iso-8859-1)'[^';]*'([^;\s]*)/i;
const DISPOSITION = /^content-disposition[ \t]*:(.*)$/i;
const ESCAPED = /%[0-9a-f]{2}/gi;

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

/** The `filename*` in the headers of a part; undefined if it is absent or malformed. */
export function parseExtendedFilename(headers: string): string | undefined {
  for (const line of headers.split('\r\n')) {
    const [, disposition] = DISPOSITION.exec(line) ?? [];
    if (disposition === undefined) continue;
    const [, encoding = '', text = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? [];
    return encoding === '' || text === '' ? undefined : decode(text, encoding.toLowerCase());
  }
  return undefined;
}
