// Cuts a multipart body into parts while it streams. Each byte is searched once and none is copied, except where a boundary may
// begin at the end of a chunk. Strict: whatever a lenient parser would skip makes the form malformed, so that no part is lost
// unnoticed.

const BOUNDARY = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/i;
const CR = 0x0d;
const CRLF = Buffer.from('\r\n');
const EMPTY_LINE = '\r\n\r\n';
const CLOSING_DASHES = '--';
const NOTHING = Buffer.alloc(0);

/** The boundary of a content type: 1 to 70 characters (RFC 2046, 5.1.1). Undefined without one. */
export function parseBoundary(contentType: string): string | undefined {
  const [, quoted, bare] = BOUNDARY.exec(contentType) ?? [];
  return quoted ?? bare;
}

/** What a body consists of, in order. */
export type FormPiece =
  /** A part begins. Its headers, one character a byte, from the line of the boundary on and without the empty line behind them. */
  | { readonly kind: 'headers'; readonly text: string }
  /** Bytes of the content of the part, never none. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  /** The content of the part is complete. */
  | { readonly kind: 'end' }
  /** The last boundary: what follows is no part of the form. */
  | { readonly kind: 'over' }
  /** The headers of a part are too long, or have no end before the next boundary. */
  | { readonly kind: 'malformed' };

const END = { kind: 'end' } as const;
const OVER = { kind: 'over' } as const;
const MALFORMED = { kind: 'malformed' } as const;

export class FormScanner {
  readonly #delimiter: Buffer;
  readonly #delimiterText: string;
  readonly #maxHeaderBytes: number;
  #state: 'preamble' | 'headers' | 'content' | 'over' | 'malformed' = 'preamble';
  /** What is left of the chunk. */
  #rest: Buffer = NOTHING;
  /** The headers so far. */
  #headers = '';
  /** Bytes with which the last chunk ended and a boundary may have begun. A boundary has a line break at its start only. */
  #begun: Buffer = CRLF;
  /** `#begun` is a line break that is no byte of the content: that before the first line of the body or of the content. */
  #isBefore = true;

  /** `maxHeaderBytes`: of the headers of one part. */
  constructor(boundary: string, maxHeaderBytes: number) {
    this.#delimiterText = `\r\n--${boundary}`;
    this.#delimiter = Buffer.from(this.#delimiterText, 'latin1');
    this.#maxHeaderBytes = maxHeaderBytes;
  }

  /** Takes the next chunk of the body, once `next` has returned undefined. The pieces are views of it. */
  push(chunk: Buffer): void {
    this.#rest = chunk;
  }

  /** The next piece; undefined where it takes another chunk. After `over` and `malformed` there is none. */
  next(): FormPiece | undefined {
    while (this.#rest.length > 0) {
      const piece = this.#state === 'headers' ? this.#readHeaders() : this.#readContent();
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  #readHeaders(): FormPiece | undefined {
    const chunk = this.#rest;
    const before = this.#headers.length;
    const end = chunk.indexOf(EMPTY_LINE);
    const maxLength = this.#maxHeaderBytes + EMPTY_LINE.length;
    const text =
      this.#headers + chunk.toString('latin1', 0, Math.min(end === -1 ? chunk.length : end + 4, maxLength));
    if (text.startsWith(CLOSING_DASHES)) return this.#stop('over');
    const at = text.indexOf(EMPTY_LINE, Math.max(0, before - EMPTY_LINE.length + 1));
    const cut = text.indexOf(this.#delimiterText, Math.max(0, before - this.#delimiter.length + 1));
    const isCut = cut !== -1 && (at === -1 || cut < at);
    // Without an end all but the last bytes, which may begin it, are headers.
    const length = at === -1 ? text.length - EMPTY_LINE.length + 1 : at;
    if (isCut || length > this.#maxHeaderBytes) return this.#stop('malformed');
    if (at === -1) {
      this.#headers = text;
      this.#rest = NOTHING;
      return undefined;
    }
    this.#headers = '';
    this.#rest = chunk.subarray(at + EMPTY_LINE.length - before);
    this.#state = 'content';
    this.#begun = CRLF;
    this.#isBefore = true;
    return { kind: 'headers', text: text.slice(0, at) };
  }

  #readContent(): FormPiece | undefined {
    if (this.#state === 'over' || this.#state === 'malformed') {
      this.#rest = NOTHING;
      return undefined;
    }
    if (this.#begun.length > 0) return this.#continueBegun();
    const chunk = this.#rest;
    const at = chunk.indexOf(this.#delimiter);
    if (at === 0) return this.#endContent(this.#delimiter.length);
    const until = at === -1 ? this.#beginning(chunk) : at;
    if (at === -1) {
      this.#begun = Buffer.from(chunk.subarray(until));
      this.#rest = NOTHING;
    } else {
      this.#rest = chunk.subarray(at);
    }
    return this.#content(chunk.subarray(0, until));
  }

  /** Whether the chunk goes on with the boundary that the last one may have begun. */
  #continueBegun(): FormPiece | undefined {
    const begun = this.#begun;
    const missing = this.#delimiter.subarray(begun.length);
    const there = this.#rest.subarray(0, missing.length);
    if (!missing.subarray(0, there.length).equals(there)) {
      const isBefore = this.#isBefore;
      this.#begun = NOTHING;
      this.#isBefore = false;
      return this.#content(isBefore ? begun.subarray(CRLF.length) : begun);
    }
    if (there.length < missing.length) {
      this.#begun = Buffer.concat([begun, there]);
      this.#rest = NOTHING;
      return undefined;
    }
    // The line break that ends the headers cannot begin a boundary as well.
    if (this.#isBefore && this.#state === 'content') return this.#stop('malformed');
    return this.#endContent(there.length);
  }

  /** Index at which a boundary may begin at the end of a chunk that has none; its length if none does. */
  #beginning(chunk: Buffer): number {
    const from = Math.max(0, chunk.length - this.#delimiter.length + 1);
    const at = chunk.subarray(from).lastIndexOf(CR);
    if (at === -1) return chunk.length;
    const last = chunk.subarray(from + at);
    return this.#delimiter.subarray(0, last.length).equals(last) ? from + at : chunk.length;
  }

  #content(bytes: Buffer): FormPiece | undefined {
    return this.#state === 'preamble' || bytes.length === 0 ? undefined : { kind: 'bytes', bytes };
  }

  /** The boundary ends with so many bytes of the chunk. */
  #endContent(bytes: number): FormPiece | undefined {
    const isPart = this.#state === 'content';
    this.#rest = this.#rest.subarray(bytes);
    this.#begun = NOTHING;
    this.#isBefore = false;
    this.#state = 'headers';
    return isPart ? END : undefined;
  }

  #stop(state: 'over' | 'malformed'): FormPiece {
    this.#state = state;
    this.#rest = NOTHING;
    return state === 'over' ? OVER : MALFORMED;
  }
}
