// Counts the boundaries of a multipart body while it streams, and keeps the headers of its parts: the parser skips parts with
// malformed headers silently, and a form must not lose a part unnoticed.

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const CRLF = Buffer.from('\r\n');
const CR = 0x0d;
const CLOSING_DASHES = Buffer.from('--');
const EMPTY_LINE = '\r\n\r\n';
/** Bytes of headers that become text at once. */
const PIECE_BYTES = 1024;

/** The boundary of a content type: 1 to 70 characters (RFC 2046, 5.1.1). Undefined without one. */
export function parseBoundary(contentType: string): string | undefined {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** Characters of the headers of a part that are kept; the parser has the same limit. */
const MAX_HEADER_CHARS = 16_384;

export interface BoundaryCounter {
  push(chunk: Buffer): void;
  /** Boundaries so far that begin a part. */
  partCount(): number;
  /** The headers of a part, by index, one character a byte; `''` until they are complete. */
  headersOf(part: number): string;
  /** True once the headers of a part ended without an empty line, for which the parser would wait for ever. */
  isBroken(): boolean;
}

/** Makes the counter. Bytes after the closing boundary are ignored. `maxParts`: parts whose headers are kept. */
export function createBoundaryCounter(boundary: string, maxParts: number): BoundaryCounter {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  const seamLength = delimiter.length + CLOSING_DASHES.length - 1;
  const headers: string[] = [];
  let rest: Buffer = CRLF;
  /** The headers of the current part so far; undefined after their end. */
  let open: string | undefined;
  let count = 0;
  let isOver = false;
  let isBroken = false;

  /** Reads bytes between two boundaries. Only those that may be headers become text: a file may follow them. */
  const pass = (bytes: Buffer): void => {
    for (let at = 0; open !== undefined && at < bytes.length; at += PIECE_BYTES) {
      const from = Math.max(0, open.length - EMPTY_LINE.length + 1);
      open += bytes.toString('latin1', at, at + PIECE_BYTES);
      const end = open.indexOf(EMPTY_LINE, from);
      if (end !== -1) {
        if (headers.length < maxParts) headers.push(open.slice(0, end));
        open = undefined;
      } else if (open.length > MAX_HEADER_CHARS) {
        // Too long to keep: only the search for their end goes on.
        open = open.slice(-EMPTY_LINE.length);
      }
    }
  };

  /** Index at which a boundary may begin at the end of the bytes; their length if none does. */
  const begun = (bytes: Buffer, from: number): number => {
    const at = bytes.lastIndexOf(CR);
    const isBegun = at >= from && delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at));
    return isBegun ? at : bytes.length;
  };

  /** Scans bytes, and returns the last of them that may begin a boundary. */
  const look = (bytes: Buffer): Buffer => {
    let from = 0;
    for (;;) {
      const at = bytes.indexOf(delimiter, from);
      const until = at === -1 ? begun(bytes, from) : at;
      pass(bytes.subarray(from, until));
      if (at === -1) return bytes.subarray(until);
      const end = at + delimiter.length;
      if (bytes.length < end + CLOSING_DASHES.length) return bytes.subarray(at);
      isBroken ||= open !== undefined;
      if (bytes.subarray(end, end + CLOSING_DASHES.length).equals(CLOSING_DASHES)) {
        isOver = true;
        return bytes.subarray(bytes.length);
      }
      count += 1;
      open = '';
      from = end;
    }
  };

  return {
    push(chunk) {
      if (isOver) return;
      // Where two chunks meet, only the bytes of one boundary are copied.
      const seam = look(Buffer.concat([rest, chunk.subarray(0, seamLength)]));
      if (isOver) return;
      rest =
        chunk.length <= seamLength
          ? Buffer.from(seam)
          : Buffer.from(look(chunk.subarray(seamLength - seam.length)));
    },
    partCount: () => count,
    headersOf: (part) => headers[part] ?? '',
    isBroken: () => isBroken,
  };
}
