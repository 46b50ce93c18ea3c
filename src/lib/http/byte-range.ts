// Parses the `Range` header of a download (RFC 9110, 14.2): one range of bytes; several ranges are ignored.

const BYTES_UNIT = /^bytes=(.*)$/i;
/** White space is allowed around a range, as around any member of a list, but not inside. */
const BYTE_RANGE = /^[ \t]*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))[ \t]*$/;

/** Bytes `start` to `end`, both included, counted from 0. */
interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Resolves the header against a file of `size` bytes. Undefined: send the whole file, also for a header that is malformed or
 * asks for several ranges, which a server may ignore. `unsatisfiable`: the file has no such range (416).
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const text = BYTES_UNIT.exec(header ?? '')?.[1];
  const match = text === undefined ? null : BYTE_RANGE.exec(text);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable';
    // The suffix of an empty file is the file: satisfiable, but no `Content-Range` could describe it.
    return size === 0 ? undefined : { start: Math.max(0, size - Number(suffix)), end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' || last === undefined ? size - 1 : Math.min(Number(last), size - 1);
  if (last && Number(last) < start) return undefined;
  return start >= size ? 'unsatisfiable' : { start, end };
}
