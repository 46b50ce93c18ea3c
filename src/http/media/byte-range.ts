// The `Range` header of a download (RFC 9110, 14).

const RANGES = /^bytes=(.*)$/i;
const BYTE_RANGE = /^[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/;

/** Bytes `start` to `end`, both included, counted from 0. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The part of `size` bytes that the header asks for. Undefined: the whole file, also where the header cannot be read or
 * asks for several parts, since a server may ignore it then. `unsatisfiable`: there is no such part.
 */
export function parseRange(header: string | undefined, size: number): Range | 'unsatisfiable' | undefined {
  const text = RANGES.exec(header ?? '')?.[1];
  const match = text === undefined ? null : BYTE_RANGE.exec(text);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable';
    // An empty file has no last bytes, and no `Content-Range` could say so.
    return size === 0 ? undefined : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' || last === undefined ? size - 1 : Math.min(Number(last), size - 1);
  if (last && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
