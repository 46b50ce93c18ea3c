// Counts the delimiters of a multipart body as it streams by, and keeps the headers of its parts: the parser passes over
// parts whose headers it cannot read without a word, and a form of which a part is missing shall not be taken for a whole one.

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const CRLF = Buffer.from('\r\n');
const CR = 0x0d;
const CLOSING_DASHES = Buffer.from('--');
const EMPTY_LINE = '\r\n\r\n';

/** The boundary that a content type names: 1 to 70 characters (RFC 2046 5.1.1). Undefined when it names none. */
export function parseBoundary(contentType: string): string | undefined {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** Characters of the headers of a part that are kept: the parser cuts them too. */
const MAX_HEADER_CHARS = 16_384;

export interface BoundaryCounter {
  push(chunk: Buffer): void;
  /** Delimiters so far that begin a part. */
  partCount(): number;
  /** The headers of a part, counted from 0, as the characters of their bytes; `''` while they are not complete. */
  headersOf(part: number): string;
  /** True once the headers of a part ended without an empty line: the parser would wait for it for ever. */
  isBroken(): boolean;
}

/** Begins to count. What comes behind the last delimiter of the form does not count. `most`: parts whose headers are kept. */
export function createBoundaryCounter(boundary: string, most: number): BoundaryCounter {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const kept = delimiter.length + CLOSING_DASHES.length - 1;
  const headers: string[] = [];
  let rest: Buffer = CRLF;
  /** The headers of the last part as far as they are known; undefined behind their end. */
  let open: string | undefined;
  let count = 0;
  let isOver = false;
  let isBroken = false;

  /** Takes bytes of a part, or of what stands before the first one. */
  const pass = (bytes: Buffer): void => {
    if (open === undefined || bytes.length === 0) return;
    const from = Math.max(0, open.length - EMPTY_LINE.length + 1);
    open += bytes.toString('latin1');
    const end = open.indexOf(EMPTY_LINE, from);
    if (end === -1) {
      // Too long to be kept: the end is still looked for.
      if (open.length > MAX_HEADER_CHARS) open = open.slice(-EMPTY_LINE.length);
      return;
    }
    if (headers.length < most) headers.push(open.slice(0, end));
    open = undefined;
  };

  /** Where at the end of bytes a delimiter has begun; their length where none has. No more is held back than by the parser. */
  const begun = (bytes: Buffer, from: number): number => {
    const at = bytes.lastIndexOf(CR);
    const isBegun = at >= from && delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at));
    return isBegun ? at : bytes.length;
  };

  /** Looks through bytes, and gives those that may belong to a delimiter which goes on behind them. */
  const look = (bytes: Buffer): Buffer => {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(delimiter, from);
      const until = at === -1 ? begun(bytes, from) : at;
      pass(bytes.subarray(from, until));
      if (at === -1) return bytes.subarray(until);
      const behind = at + delimiter.length;
      if (bytes.length < behind + CLOSING_DASHES.length) return bytes.subarray(at);
      isBroken ||= open !== undefined;
      if (bytes.subarray(behind, behind + CLOSING_DASHES.length).equals(CLOSING_DASHES)) {
        isOver = true;
        return bytes.subarray(bytes.length);
      }
      count += 1;
      open = '';
      from = behind;
    }
  };

  return {
    push(chunk) {
      if (isOver) return;
      // Where two chunks meet, only as many bytes are copied as a delimiter across the border takes.
      const seam = look(Buffer.concat([rest, chunk.subarray(0, kept)]));
      if (isOver) return;
      rest = chunk.length <= kept ? Buffer.from(seam) : Buffer.from(look(chunk.subarray(kept - seam.length)));
    },
    partCount: () => count,
    headersOf: (part) => headers[part] ?? '',
    isBroken: () => isBroken,
  };
}
