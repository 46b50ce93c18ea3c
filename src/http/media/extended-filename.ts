// The file name of a part in the form for every language, `filename*=UTF-8''na%C3%AFve.txt` (RFC 8187). Where a part has it
// beside `filename=`, it is the one that is meant (RFC 6266 4.3), and the parser knows only the other.

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
const EXTENDED = /;[ \t]*filename\*[ \t]*=[ \t]*(utf-8|iso-8859-1)'[^';]*'([^;\s]*)/i;
const DISPOSITION = /^content-disposition[ \t]*:(.*)$/i;
const ESCAPED = /%[0-9a-f]{2}/gi;

/** Undefined for what is no text of that encoding. */
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

/** What `filename*=` says in the headers of a part; undefined where it is not there, or cannot be read. */
export function parseExtendedFilename(headers: string): string | undefined {
  for (const line of headers.split('\r\n')) {
    const [, disposition] = DISPOSITION.exec(line) ?? [];
    if (disposition === undefined) continue;
    const [, encoding = '', text = ''] = EXTENDED.exec(disposition.replace(QUOTED, '""')) ?? [];
    return encoding === '' || text === '' ? undefined : decode(text, encoding.toLowerCase());
  }
  return undefined;
}
