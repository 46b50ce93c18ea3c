// Parts of files: `Range` and `If-Range` (RFC 9110 14). One part at a time; whoever asks for several gets the whole.
import type { ByteRange } from '../../stores/media-store.ts';
import { type FileVersion, parseHttpDate, truncateToSecond } from './freshness.ts';

const SINGLE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i;

interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/** Whether the part is of the file that the client has the rest of. */
function isSameFile(ifRange: string | undefined, { etag, modifiedAt }: FileVersion): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.includes('"')) return ifRange.trim() === etag;
  return modifiedAt !== undefined && parseHttpDate(ifRange.trim()) === truncateToSecond(modifiedAt);
}

/** The part of a file of `size` bytes that is asked for: undefined for the whole, `none` where it has no such part. */
export function selectByteRange(
  { range, ifRange }: RangeHeaders,
  { size, version }: { readonly size: number; readonly version: FileVersion },
): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = SINGLE.exec(range ?? '') ?? [];
  if ((first === '' && last === '') || !isSameFile(ifRange, version)) return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'none' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'none';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
